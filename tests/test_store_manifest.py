"""JSON that carries its own digest, and the manifest of a run folder."""

import json
from pathlib import Path
from typing import Any

import pytest

from vecdecay.errors import OutputError
from vecdecay.store.files import file_operations
from vecdecay.store.manifest import MANIFEST_NAME, read_manifest, sealed, write_manifest

CONTENT = {"sweep": "headline", "parts": [{"rows": 3, "mean": 0.1}], "note": "é\n", "none": None}


@pytest.mark.parametrize("content", [CONTENT, {}])
def test_manifest_comes_back(content: dict[str, Any], tmp_path: Path) -> None:
    """What was written is read again, and any JSON reader can read it too."""
    written = write_manifest(tmp_path, content)
    assert read_manifest(tmp_path) == content
    plain = json.loads((tmp_path / MANIFEST_NAME).read_text())
    assert plain.pop("version") == 2
    assert list(plain)[-1] == "digest"
    assert len(plain.pop("digest")) == 32
    assert plain == content
    assert written.bytes == (tmp_path / MANIFEST_NAME).stat().st_size


def test_order_of_keys_does_not_matter(tmp_path: Path) -> None:
    """The same content gives the same bytes, in whatever order it was put together."""
    first = write_manifest(tmp_path, CONTENT)
    assert write_manifest(tmp_path, dict(reversed(CONTENT.items()))) == first


def test_every_bit_is_covered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Any one changed bit is found, and the error names the file in one line."""
    write_manifest(tmp_path, CONTENT)
    path = tmp_path / MANIFEST_NAME
    data = path.read_bytes()
    for bit in range(8 * len(data)):
        changed = bytearray(data)
        changed[bit // 8] ^= 1 << bit % 8
        monkeypatch.setattr(file_operations, "read", lambda _, data=bytes(changed): data)
        with pytest.raises(OutputError) as caught:
            read_manifest(tmp_path)
        assert str(caught.value) == f"{path}: is damaged: its content does not match its digest"


def test_every_length_is_covered(tmp_path: Path) -> None:
    """A manifest that is cut off anywhere, or has more behind its end, is found."""
    write_manifest(tmp_path, CONTENT)
    path = tmp_path / MANIFEST_NAME
    data = path.read_bytes()
    for changed in [*(data[:length] for length in range(len(data))), data + b"\n"]:
        path.write_bytes(changed)
        with pytest.raises(OutputError, match="is damaged"):
            read_manifest(tmp_path)


def test_missing_manifest_is_named(tmp_path: Path) -> None:
    """A folder without a manifest is refused with the name of the file that is missing."""
    with pytest.raises(OutputError, match=rf"{MANIFEST_NAME}: cannot be read: No such file"):
        read_manifest(tmp_path)


def test_another_version_is_refused(tmp_path: Path) -> None:
    """A manifest of a later program is not misread: both versions are named."""
    (tmp_path / MANIFEST_NAME).write_bytes(sealed(b'{\n  "version": 3,\n  ', b"\n}\n"))
    with pytest.raises(OutputError, match="has version 3; this program reads version 2"):
        read_manifest(tmp_path)


def test_content_that_is_no_json_is_refused(tmp_path: Path) -> None:
    """JSON knows no NaN; nothing is written then."""
    with pytest.raises(ValueError, match="not JSON compliant"):
        write_manifest(tmp_path, {"mean": float("nan")})
    assert list(tmp_path.iterdir()) == []
