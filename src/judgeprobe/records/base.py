"""What every record shares: frozen, strict about unknown fields, hashable as canonical JSON."""

import hashlib
import json
from typing import Any

from pydantic import BaseModel, ConfigDict

__all__ = ["SCHEMA_VERSION", "Record", "content_hash"]

SCHEMA_VERSION = 1

# Made once: `json.dumps` with these options makes a new encoder at every call.
_CANONICAL = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
)


class Record(BaseModel):
    """One row of a file."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", allow_inf_nan=False, ser_json_inf_nan="null"
    )


def content_hash(value: Any) -> str:
    """SHA-256 (64 hex digits) of the value's canonical JSON.

    Keys are sorted, there is no white space, text stays as it is (UTF-8). Dict order therefore
    never changes the hash, and list order does.

    Raises:
        ValueError: The value holds NaN or an infinity.
        TypeError: The value holds what JSON cannot say.
    """
    text = _CANONICAL.encode(value)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
