"""What may a study.toml say?

Every table of it is a frozen object here; an unknown key is refused. What the settings mean for the
files of a study is `judgeprobe.study`'s part.
"""

from pydantic import model_validator

from judgeprobe.records import CONTROLS
from judgeprobe.settings.base import ModelSettings, SettingsTable
from judgeprobe.settings.blind import BlindSettings
from judgeprobe.settings.bundle import BundleSettings
from judgeprobe.settings.models import GeneratorSettings, JudgeSettings, VerifierSettings
from judgeprobe.settings.pressure import PressureGenerator, PressureSettings, PressureVerifier
from judgeprobe.settings.stages import (
    AnnotationSettings,
    BudgetSettings,
    DatasetSettings,
    ElicitationSettings,
    ProfileSettings,
    StudySettings,
)
from judgeprobe.settings.variants import SelfConsistency, VariantSettings, VariantsSettings

__all__ = [
    "AnnotationSettings",
    "BlindSettings",
    "BudgetSettings",
    "BundleSettings",
    "DatasetSettings",
    "ElicitationSettings",
    "GeneratorSettings",
    "JudgeSettings",
    "ModelSettings",
    "PressureGenerator",
    "PressureSettings",
    "PressureVerifier",
    "ProfileSettings",
    "SelfConsistency",
    "Settings",
    "SettingsTable",
    "StudySettings",
    "VariantSettings",
    "VariantsSettings",
    "VerifierSettings",
]


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
