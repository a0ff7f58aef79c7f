"""Text that carries its own checksum, so that not one of its bits can change unseen.

The last key of a JSON object is the SHA-256 of every byte before that key. What surrounds the checksum is
fixed, and compared byte by byte, so the bits of the punctuation are covered too.
"""

import hashlib
from dataclasses import dataclass

SEAL_KEY = "seal"
DIGEST_LENGTH = 64


@dataclass(frozen=True, slots=True)
class Seal:
    """How the checksum is written down: the bytes before it and the bytes after it."""

    opening: bytes
    closing: bytes

    def add(self, body: bytes, previous: bytes = b"") -> tuple[bytes, bytes]:
        """Return the sealed text and its digest (64 hexadecimal digits).

        ``previous`` is the digest of the text before this one, where texts form a chain: then a text that is
        lost, doubled or moved breaks the chain.
        """
        digest = hashlib.sha256(previous + body).hexdigest().encode()
        return body + self.opening + digest + self.closing, digest

    def remove(self, sealed: bytes, previous: bytes = b"") -> tuple[bytes, bytes] | None:
        """Return the body and its digest, or None when a single bit of the text is not as it was sealed."""
        length = len(self.opening) + DIGEST_LENGTH + len(self.closing)
        body = sealed[: max(0, len(sealed) - length)]
        expected, digest = self.add(body, previous)
        return (body, digest) if sealed == expected else None
