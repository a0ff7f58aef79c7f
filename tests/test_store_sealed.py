"""Text that carries its own checksum."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vecdecay.store.sealed import Seal

SEAL = Seal(b'"seal":"', b'"}')


@settings(deadline=None)
@given(st.binary(max_size=50), st.binary(max_size=5))
def test_seal_comes_off_again(body: bytes, previous: bytes) -> None:
    """What was sealed is found again, whatever it is, an empty text too."""
    sealed, digest = SEAL.add(body, previous)
    assert SEAL.remove(sealed, previous) == (body, digest)


@pytest.mark.parametrize("body", [b"", b"{}", b'{"part":1,'])
def test_every_bit_and_every_length_is_covered(body: bytes) -> None:
    """Any one changed bit, of body, punctuation or checksum, and any missing or added byte, is seen."""
    sealed, _ = SEAL.add(body)
    for bit in range(8 * len(sealed)):
        changed = bytearray(sealed)
        changed[bit // 8] ^= 1 << bit % 8
        assert SEAL.remove(bytes(changed)) is None
    for length in range(len(sealed)):
        assert SEAL.remove(sealed[:length]) is None
    assert SEAL.remove(sealed + b"\n") is None


def test_seal_depends_on_what_was_before() -> None:
    """A text that follows another one does not pass in another place of the chain."""
    _, first = SEAL.add(b"first")
    sealed, _ = SEAL.add(b"second", first)
    assert SEAL.remove(sealed, first) is not None
    assert SEAL.remove(sealed) is None
