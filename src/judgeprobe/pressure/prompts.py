"""What exactly are the generators and the verifier shown?

One prompt a condition. The shipped ones differ in one line, the instruction; a model without a chat
format gets the completion form of the same. The verifier's prompts name the axis by the taxonomy's
gloss and say nothing of instructions.
"""

from judgeprobe.errors import InputError
from judgeprobe.llm.templates import Template, load_template
from judgeprobe.settings.pressure import PressureCondition, PressureGenerator
from judgeprobe.study import Study

__all__ = ["generator_prompts", "verifier_prompts"]

_GENERATOR = {"evidence"}
_PAIR = {"axis", "gloss", "evidence", "a", "b"}
_EVIDENCE = {"axis", "gloss", "evidence", "claim"}


def generator_prompts(
    study: Study, generator: PressureGenerator
) -> dict[PressureCondition, Template]:
    """The prompt of each condition.

    Raises:
        InputError: One is missing, never shows the evidence or has a place that nothing fills, or
            two conditions share one prompt.
    """
    settings = study.settings.pressure
    assert settings is not None
    plain = generator.model.startswith(("local/", "text-completion-openai/"))
    found: dict[PressureCondition, Template] = {}
    for condition in settings.conditions:
        shipped = f"pressure_{condition}{'_completion' if plain else ''}.v1"
        name = generator.prompts.get(condition, shipped)
        template = load_template(name, relative_to=study.folder)
        template.check(_GENERATOR, _GENERATOR)
        for other, earlier in found.items():
            if earlier.hash == template.hash:
                raise InputError(
                    f"the prompts of `{other}` and `{condition}` of the pressure generator "
                    f"`{generator.name}` are the same",
                    file=study.folder / "study.toml",
                    remedy="give each condition its own instruction",
                )
        found[condition] = template
    return found


def verifier_prompts(study: Study) -> tuple[Template, Template]:
    """The verifier's prompts: for two claims, and for a claim against its evidence.

    Raises:
        InputError: As `generator_prompts`.
    """
    settings = study.settings.pressure
    assert settings is not None
    assert settings.verifier is not None
    pair = load_template(settings.verifier.prompt_pair, relative_to=study.folder)
    pair.check(_PAIR, {"gloss", "evidence", "a", "b"})
    alone = load_template(settings.verifier.prompt_evidence, relative_to=study.folder)
    alone.check(_EVIDENCE, {"gloss", "evidence", "claim"})
    return pair, alone
