"""Which judges does a study name, and may they be run together?

Refused before any call: a judge of the family that wrote or checked the edits (no family may score
its own output), a family that cannot be told, and, with `require_pin = true`, a router model whose
provider is not pinned. Without it such a model is warned about by name.
"""

from judgeprobe.errors import StudyError
from judgeprobe.families import require_disjoint
from judgeprobe.settings import JudgeSettings
from judgeprobe.study import Study
from judgeprobe.sweep.callables import CallableJudge
from judgeprobe.sweep.judges import Judge
from judgeprobe.user_function import UserFunction

__all__ = ["check_roster", "make_judges"]

_ROUTERS = ("openrouter/",)


def make_judges(study: Study) -> list[Judge]:
    """The judges of a study, in its order; no call is made and no model is loaded.

    Raises:
        InputError: A prompt, a module or a model file is missing or cannot be used.
    """
    settings = study.settings
    judges: list[Judge] = []
    for judge in settings.judges:
        repetitions = judge.repetitions or settings.elicitation.repetitions
        scale = settings.elicitation.scale
        if judge.call is not None:
            judges.append(
                CallableJudge(
                    judge,
                    scale,
                    repetitions=repetitions,
                    folder=study.root,
                    run=settings.elicitation.run,
                )
            )
        else:
            from judgeprobe.sweep.models import ModelJudge

            judges.append(ModelJudge(judge, study, repetitions=repetitions))
        if judge.parser is not None:
            judges[-1].parser = UserFunction(
                judge.parser,
                setting="parser",
                owner=f"the judge `{judge.name}`",
                folder=study.folder,
            )
    return judges


def check_roster(study: Study) -> list[str]:
    """Warnings about the study's judges.

    Raises:
        StudyError: Two parts share a family, a family is not known, or a pin is missing.
    """
    path = study.folder / "study.toml"
    require_disjoint(study)
    unpinned = [judge for judge in study.settings.judges if _unpinned(judge)]
    if unpinned and study.settings.budget.require_pin:
        raise StudyError(
            f"the judge `{unpinned[0].name}` ({unpinned[0].model}) is not pinned to one provider",
            file=path,
            remedy="give provider = { order = [...], allow_fallbacks = false }",
        )
    return [
        f"the judge `{judge.name}` ({judge.model}) is not pinned to one provider; another one, or "
        "another quantization, may answer each call"
        for judge in unpinned
    ]


def _unpinned(judge: JudgeSettings) -> bool:
    if judge.model is None or not judge.model.startswith(_ROUTERS):
        return False
    pin = judge.provider or {}
    order = pin.get("order") or pin.get("only")
    return not order or len(order) != 1 or pin.get("allow_fallbacks", True) is not False
