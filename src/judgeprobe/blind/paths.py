"""Where do the files of the blinded set lie?"""

from dataclasses import dataclass
from pathlib import Path

from judgeprobe.study import Study

__all__ = ["BlindPaths", "paths_of"]


@dataclass(frozen=True)
class BlindPaths:
    """Paths in a study's folder `blind`."""

    folder: Path

    @property
    def sheets(self) -> Path:
        """One folder an annotator; each is sent whole."""
        return self.folder / "sheets"

    @property
    def keys(self) -> Path:
        """What unblinds."""
        return self.folder / "keys"

    @property
    def key(self) -> Path:
        """Which unit stands on which sheet under which id."""
        return self.keys / "key.json"

    @property
    def units(self) -> Path:
        """The units with what they inherit."""
        return self.keys / "units.jsonl"

    @property
    def items(self) -> Path:
        """The units as a judge elsewhere is shown them."""
        return self.folder / "items.jsonl"

    @property
    def labels(self) -> Path:
        """Labels as given."""
        return self.folder / "labels.jsonl"

    @property
    def majority(self) -> Path:
        """What the labels say of each unit."""
        return self.folder / "majority.jsonl"

    @property
    def agreement(self) -> Path:
        """How far the annotators agree."""
        return self.folder / "agreement.json"

    @property
    def scores(self) -> Path:
        """Judges against both label sets."""
        return self.folder / "scores.json"


def paths_of(study: Study) -> BlindPaths:
    """The paths of one study."""
    return BlindPaths(study.blind_dir)
