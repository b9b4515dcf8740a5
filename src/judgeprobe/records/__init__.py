"""What one row of every file is: frozen, extra fields forbidden, versioned.

A newer schema version is refused and an older one lifted (`records.upgrade`). Names are the ones
of the design page; fields may be added, none renamed.
"""

from judgeprobe.records.base import SCHEMA_VERSION, Record, content_hash
from judgeprobe.records.blind import BlindItem, BlindLabel, BlindMajority, BlindUnit
from judgeprobe.records.calls import Grade, GradeStatus, Reply, Requested, Served
from judgeprobe.records.controls import CONTROLS, Control
from judgeprobe.records.items import (
    ARMS,
    AXES,
    Arm,
    BaseItem,
    Direction,
    GateResult,
    Intervention,
    Label,
    Rejection,
    text_id,
)
from judgeprobe.records.pressure import Comparison, PressureClaim
from judgeprobe.records.scale import Scale

__all__ = [
    "ARMS",
    "AXES",
    "CONTROLS",
    "SCHEMA_VERSION",
    "Arm",
    "BaseItem",
    "BlindItem",
    "BlindLabel",
    "BlindMajority",
    "BlindUnit",
    "Comparison",
    "Control",
    "Direction",
    "GateResult",
    "Grade",
    "GradeStatus",
    "Intervention",
    "Label",
    "PressureClaim",
    "Record",
    "Rejection",
    "Reply",
    "Requested",
    "Scale",
    "Served",
    "content_hash",
    "text_id",
]
