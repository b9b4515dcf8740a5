"""What is measured, where does it lie, and under which hashes was it made?

A study is a folder with a `study.toml`. Settings are checked whole before anything is done; an
unknown key is an error that names the nearest known one. Keys of providers come from the
environment, never from this file.
"""

import difflib
import os
import tomllib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, Field, ValidationError, field_validator, model_validator

from judgeprobe import __version__
from judgeprobe.bundle_settings import BundleSettings
from judgeprobe.errors import MixedArtifactsError, StudyError
from judgeprobe.files import file_hash, read_json, read_text, write_json
from judgeprobe.model_settings import ModelSettings, SettingsTable
from judgeprobe.pressure_settings import PressureSettings
from judgeprobe.records import CONTROLS, SCHEMA_VERSION, BlindSettings, Scale, content_hash
from judgeprobe.taxonomy import Taxonomy, load_taxonomy
from judgeprobe.variant_settings import VariantSettings, VariantsSettings, scale_of

__all__ = [
    "AnnotationSettings",
    "BudgetSettings",
    "DatasetSettings",
    "ElicitationSettings",
    "GeneratorSettings",
    "JudgeSettings",
    "ModelSettings",
    "ProfileSettings",
    "Settings",
    "Study",
    "StudySettings",
    "load_study",
]


class GeneratorSettings(ModelSettings):
    """Who writes the edits (family A).

    Attributes:
        mix_rules: Whether the rules generator adds its own edits beside the model's.
        attempts: Most tries at one edit, each told why the last was refused; of the rules, most
            candidates that are shown to the verifier.
        match_length: Where given, construct edits are kept only in sets of one edit an axis whose
            absolute length changes differ by no more than this share.
    """

    model: str = "rules"
    prompt: str = "generator.v1"
    mix_rules: bool = False
    attempts: int = Field(1, ge=1, le=10)
    slots: tuple[str, ...] | None = None
    match_length: float | None = Field(None, ge=0)


class VerifierSettings(ModelSettings):
    """Who checks the edits (family B)."""

    prompt_construct: str = "verifier_construct.v1"
    prompt_control: str = "verifier_control.v1"


class JudgeSettings(SettingsTable):
    """One judge: a model or a Python callable.

    Attributes:
        call: `module:function`, sync or async, (evidence, claim) -> number or text.
        elicitation: "written" reads the grade from the reply's text; "expected" takes the mean
            over the grade tokens' probabilities.
        prompt: Prompt of this judge alone; the study's where None.
        reply_pattern: Regular expression whose first group is the grade.
        parser: `module:function` that reads a reply: (text) -> number, word of the scale or None.
        transport: "litellm", or "direct" for an OpenAI-compatible endpoint.
        price: US dollars per million tokens, {input, output}, where litellm has none.
        served_model: Name under which the endpoint serves the model, where it is another one.
        endpoint_selects_model: Whether two hosts of `base_url` serve two models under one name.
        base_urls: Several endpoints that serve the very same model, in place of `base_url`.
        canary_tolerance: By how much two of them may differ in the log-probability of a token
            (natural logarithm) before they count as two instruments.
        takes_scale: Whether the function wants the scale too, as the keyword `scale`: (low, high,
            step).
        paired_call: `module:function`, (evidence, first, second) -> both grades, for the paired
            mode of `judgeprobe vary`.
        model_group: Judges of one group are one model in several quantizations.
    """

    name: str = Field(min_length=1, max_length=80)
    model: str | None = None
    call: str | None = None
    takes_scale: bool = False
    paired_call: str | None = None
    model_group: str | None = None
    provider: dict[str, Any] | None = None
    family: str | None = None
    base_url: str | None = None
    base_urls: tuple[str, ...] = ()
    temperature: float | None = 0.0
    max_tokens: int | None = Field(None, ge=1)
    seed: int | None = None
    reasoning_effort: str | None = None
    extra_body: dict[str, Any] | None = None
    timeout: float = Field(60.0, gt=0)
    elicitation: Literal["written", "expected"] | None = None
    prompt: str | None = None
    reply_pattern: str | None = None
    parser: str | None = None
    transport: Literal["litellm", "direct"] = "litellm"
    repetitions: int | None = Field(None, ge=1)
    price: dict[str, float] | None = None
    served_model: str | None = None
    endpoint_selects_model: bool = False
    canary_tolerance: float = Field(0.1, gt=0)

    @model_validator(mode="before")
    @classmethod
    def _first_url(cls, values: Any) -> Any:
        """Whatever needs one endpoint takes the first of several."""
        if not isinstance(values, dict):
            return values
        if isinstance(values.get("base_url"), list | tuple):
            raise ValueError("`base_url` names one endpoint; give several as `base_urls`")
        if not values.get("base_urls"):
            return values
        if values.get("base_url") is not None:
            raise ValueError("give either `base_url` or `base_urls`")
        return {**values, "base_url": values["base_urls"][0]}

    @model_validator(mode="after")
    def _check(self) -> "JudgeSettings":
        if (self.model is None) == (self.call is None):
            raise ValueError(f"the judge `{self.name}` needs either `model` or `call`")
        if len(set(self.base_urls)) < len(self.base_urls):
            raise ValueError(f"the judge `{self.name}` has an endpoint twice in `base_urls`")
        if len({urlsplit(url).path.rstrip("/") for url in self.base_urls}) > 1:
            raise ValueError(
                f"the `base_urls` of the judge `{self.name}` have different paths; a path may "
                "name another model, so they must end alike"
            )
        if len(self.base_urls) > 1 and self.endpoint_selects_model:
            raise ValueError(
                f"the judge `{self.name}` has several `base_urls`, which must serve one model; "
                "make it one judge for each endpoint, or drop `endpoint_selects_model`"
            )
        if self.parser is not None and (self.reply_pattern or self.elicitation == "expected"):
            other = "reply_pattern" if self.reply_pattern else 'elicitation = "expected"'
            raise ValueError(f"the judge `{self.name}` has a `parser`; take `{other}` out")
        return self


class DatasetSettings(SettingsTable):
    """Which part of a Hugging Face data set is read.

    Attributes:
        config: Its configuration, where it has several.
        split: "train", "test" and the like.
        revision: Commit, tag or branch; a commit for results that others can repeat.
    """

    config: str | None = None
    split: str = "train"
    revision: str | None = None


class StudySettings(SettingsTable):
    """What is measured.

    Attributes:
        base_items: Table of claims with evidence; "shipped" for the items in probes/; "hf:NAME"
            for a Hugging Face data set, or the folder of an exported one.
        dataset: Which part of that data set.
        pairs: Table of pairs whose direction people set elsewhere, in place of build and annotate.
        columns: Their column names, by field name, where they differ.
        direction: "human", or "construction", which watermarks everything made from it.
        direction_source: Who set the direction, for a pairs table.
    """

    name: str
    seed: int = 0
    taxonomy: str = "claim-calibration"
    base_items: str | None = None
    pairs: str | None = None
    columns: dict[str, str] = Field(default_factory=dict)
    labels: dict[str, str] = Field(default_factory=dict)
    dataset: DatasetSettings | None = None
    limit: int | None = Field(None, ge=1)
    direction: Literal["human", "construction"] = "human"
    direction_source: str = ""

    @model_validator(mode="after")
    def _check(self) -> "StudySettings":
        if (self.base_items is None) == (self.pairs is None):
            raise ValueError("give either `base_items` or `pairs`")
        if self.pairs is not None and self.direction == "human" and not self.direction_source:
            raise ValueError('`pairs` with direction "human" needs `direction_source`: who set it')
        return self


class ElicitationSettings(SettingsTable):
    """What a judge is asked.

    Attributes:
        run: Label of the run; calls under another label are made anew.
    """

    scale: Scale = Scale()
    prompt: str = "judge.v1"
    repetitions: int = Field(1, ge=1)
    run: str = Field("", max_length=60)

    @field_validator("scale", mode="before")
    @classmethod
    def _scale(cls, value: Any) -> Any:
        return scale_of(value)


class AnnotationSettings(SettingsTable):
    """Who labels direction, and at what bar it counts."""

    annotators: int = Field(3, ge=1)
    bar: float | None = Field(None, ge=0, le=1)
    batch_size: int = Field(100, ge=1)
    training: int = Field(0, ge=0)
    repeats: int = Field(0, ge=0)


class ProfileSettings(SettingsTable):
    """How grades become a profile."""

    floor: float | None = Field(None, ge=0, le=1)
    rule: Literal["cut", "shift"] = "cut"
    resamples: int = Field(10_000, ge=100)
    permutations: int = Field(10_000, ge=100)
    level: float = Field(0.95, gt=0, lt=1)
    groupings: dict[str, dict[str, str]] = Field(default_factory=dict)
    ensembles: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    adjust: Literal["bh", "holm"] = "bh"


class BudgetSettings(SettingsTable):
    """Hard stops, and how much runs at once."""

    max_usd: float | None = Field(None, ge=0)
    max_calls: int | None = Field(None, ge=0)
    max_minutes: float | None = Field(None, gt=0)
    concurrency: int = Field(32, ge=1, le=1024)
    require_pin: bool = False


class Settings(SettingsTable):
    """The whole of study.toml."""

    study: StudySettings
    generator: GeneratorSettings = GeneratorSettings()
    verifier: VerifierSettings | None = None
    elicitation: ElicitationSettings = ElicitationSettings()
    judges: tuple[JudgeSettings, ...] = ()
    annotation: AnnotationSettings = AnnotationSettings()
    profile: ProfileSettings = ProfileSettings()
    blind: BlindSettings = BlindSettings()
    budget: BudgetSettings = BudgetSettings()
    bundle: BundleSettings = BundleSettings()
    variants: VariantsSettings = VariantsSettings()
    variant: VariantSettings | None = None
    pressure: PressureSettings | None = None

    @model_validator(mode="after")
    def _check(self) -> "Settings":
        names = [judge.name for judge in self.judges]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"two judges are named `{name}`")
            if name in {control.name for control in CONTROLS}:
                raise ValueError(f"the judge name `{name}` is taken by a control judge")
        return self


@dataclass(frozen=True)
class Study:
    """A study folder, its settings and the paths of its files.

    A variant's folder holds its own grades and profile; its interventions, labels, prompts and
    cached replies are those of the study that it is a variant of.
    """

    folder: Path
    settings: Settings

    @property
    def root(self) -> Path:
        """The folder that holds the interventions and that paths in the settings start from."""
        variant = self.settings.variant
        if variant is None:
            return self.folder
        # Not by way of the folder itself, which need not be there yet.
        return Path(os.path.normpath(self.folder / variant.of))

    @cached_property
    def taxonomy(self) -> Taxonomy:
        """The taxonomy in force.

        Raises:
            InputError: It cannot be read.
        """
        return load_taxonomy(self.settings.study.taxonomy, relative_to=self.root)

    @property
    def interventions_path(self) -> Path:
        """Accepted edits."""
        return self.root / "interventions.jsonl"

    @property
    def rejections_path(self) -> Path:
        """Refused edits."""
        return self.root / "rejections.jsonl"

    @property
    def base_items_path(self) -> Path:
        """Base items as the study uses them."""
        return self.root / "base_items.jsonl"

    @property
    def labels_path(self) -> Path:
        """Annotators' labels as given."""
        return self.root / "labels.jsonl"

    @property
    def directions_path(self) -> Path:
        """What the labels say of each intervention."""
        return self.root / "directions.jsonl"

    @property
    def annotation_path(self) -> Path:
        """Agreement of the annotators, and what was excluded."""
        return self.root / "annotation.json"

    @property
    def grades_path(self) -> Path:
        """Grades of every judge, text and repetition."""
        return self.folder / "grades.parquet"

    @property
    def profile_path(self) -> Path:
        """The profile."""
        return self.folder / "profile.json"

    @property
    def manifest_path(self) -> Path:
        """What was made under which hashes."""
        return self.folder / "manifest.json"

    @property
    def annotation_dir(self) -> Path:
        """Batches for annotators, and apart from them the keys."""
        return self.root / "annotation"

    @property
    def blind_dir(self) -> Path:
        """The blinded set: sheets, labels, scores, and apart from them the keys."""
        return self.folder / "blind"

    @property
    def pressure_dir(self) -> Path:
        """What the accuracy-pressure arm writes."""
        return self.folder / "pressure"

    @property
    def cache_dir(self) -> Path:
        """Cached replies."""
        return self.root / "cache"

    @property
    def tables_dir(self) -> Path:
        """Tables of the report."""
        return self.folder / "tables"

    @property
    def figures_dir(self) -> Path:
        """Figures of the report."""
        return self.folder / "figures"

    @property
    def floor(self) -> float:
        """Smallest S at which R is read: the study's, or else the taxonomy's."""
        floor = self.settings.profile.floor
        return self.taxonomy.constants.invariance_floor if floor is None else floor

    @property
    def bar(self) -> float:
        """The agreement bar: the study's, or else the taxonomy's."""
        bar = self.settings.annotation.bar
        return self.taxonomy.constants.agreement_bar if bar is None else bar

    def input_path(self, name: str) -> Path:
        """A path that study.toml names, relative to the study folder."""
        return (self.root / name).resolve()

    def record(self, stage: str, entry: dict[str, Any]) -> None:
        """Note in manifest.json what a stage made and under which hashes.

        The manifest holds no time and no path of one machine, so that the same inputs give the
        same bytes.
        """
        manifest = self.manifest()
        manifest["judgeprobe"] = __version__
        manifest["schema"] = SCHEMA_VERSION
        manifest["settings"] = content_hash(self.settings.model_dump(mode="json"))
        manifest.setdefault("stages", {})[stage] = entry
        write_json(self.manifest_path, manifest)

    def manifest(self) -> dict[str, Any]:
        """The manifest as it stands; empty for a new study."""
        if not self.manifest_path.exists():
            return {}
        found = read_json(self.manifest_path)
        return found if isinstance(found, dict) else {}

    def require_same(
        self, what: str, found: str, expected: str, *, file: Path, remedy: str
    ) -> None:
        """Refuse to mix artifacts.

        Raises:
            MixedArtifactsError: The two hashes differ; it shows both and the remedy.
        """
        if found != expected:
            raise MixedArtifactsError(
                what, file=file, expected=expected, found=found, remedy=remedy
            )

    def output_hash(self, path: Path) -> str:
        """SHA-256 of one of the study's files."""
        return file_hash(path)


def load_study(folder: Path) -> Study:
    """Read and check a study folder's settings.

    Raises:
        StudyError: study.toml is missing, is not TOML, or has a wrong or unknown key.
    """
    path = folder / "study.toml"
    if not path.is_file():
        raise StudyError(
            "there is no study.toml", file=folder, remedy=f"make one with: judgeprobe new {folder}"
        )
    try:
        content = tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise StudyError(f"is not TOML ({error})", file=path) from None
    try:
        settings = Settings.model_validate(content)
    except ValidationError as error:
        raise _study_error(path, error) from None
    return Study(folder=folder, settings=settings)


def _study_error(path: Path, error: ValidationError) -> StudyError:
    first = error.errors()[0]
    place = [str(part) for part in first["loc"]]
    if first["type"] == "extra_forbidden":
        known = _known_keys(first["loc"][:-1])
        nearest = difflib.get_close_matches(place[-1], known, n=1, cutoff=0.0)
        remedy = f"did you mean `{nearest[0]}`?" if nearest else None
        return StudyError(f"unknown key `{'.'.join(place)}`", file=path, remedy=remedy)
    message = first["msg"].removeprefix("Value error, ")
    if first["type"] == "missing":
        message = "is missing"
    where = f"`{'.'.join(place)}` " if place else ""
    return StudyError(f"{where}{message}", file=path)


def _known_keys(location: tuple[int | str, ...]) -> list[str]:
    model: Any = Settings
    for part in location:
        if isinstance(part, int):
            continue
        annotation = model.model_fields[part].annotation
        candidates = [annotation, *getattr(annotation, "__args__", ())]
        model = next(
            (c for c in candidates if isinstance(c, type) and issubclass(c, BaseModel)), None
        )
        if model is None:
            return []
    return list(model.model_fields)
