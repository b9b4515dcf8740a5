"""From what are ids, sequences and orders drawn, so that nobody can work them out?

Every draw is a keyed hash (HMAC-SHA256) of what is drawn for, so it depends on nothing that an
annotator could see or guess. The secret lies with the keys: without it ids and orders cannot be
worked out, with it an export can be repeated byte for byte.
"""

import hashlib
import hmac
import secrets
from pathlib import Path

from judgeprobe.errors import InputError
from judgeprobe.files import read_text, write_text

__all__ = ["digest", "letters", "secret_in"]

# Consonants only: an id spells no word, and no spreadsheet takes it for a number or a date.
ID_LETTERS = "bcdfghjklmnpqrstvwxz"
ID_LENGTH = 12
PRIVATE = "PRIVATE.txt"


def digest(secret: bytes, *parts: str) -> bytes:
    """The draw for these parts, 32 bytes."""
    # Lengths before parts, so that no two lists of parts make one message.
    message = "".join(f"{len(part)}:{part}" for part in parts)
    return hmac.new(secret, message.encode("utf-8", "surrogatepass"), hashlib.sha256).digest()


def letters(drawn: bytes) -> str:
    """An id from a draw."""
    number = int.from_bytes(drawn)
    found = []
    for _ in range(ID_LENGTH):
        number, place = divmod(number, len(ID_LETTERS))
        found.append(ID_LETTERS[place])
    return "".join(found)


def secret_in(folder: Path, warning: str) -> bytes:
    """The secret of a folder of keys; made, with the warning beside it, at the first export.

    Raises:
        InputError: The file is there and holds something else.
    """
    path = folder / "secret"
    if not path.exists():
        write_text(path, secrets.token_hex(32) + "\n")
        write_text(folder / PRIVATE, warning)
    text = read_text(path).strip()
    try:
        found = bytes.fromhex(text)
    except ValueError:
        found = b""
    if len(found) < 16:
        raise InputError(
            "does not hold the study's secret (64 hex digits)",
            file=path,
            remedy="restore it from a copy; a new one would give other unit ids",
        )
    return found
