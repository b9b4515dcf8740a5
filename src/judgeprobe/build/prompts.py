"""What exactly are the generator and the verifier shown?

One template a role, filled from the taxonomy: a slot changes what is put into the places and never
the words around them. The verifier is not told which edit was asked for; it chooses from a list.
"""

from collections.abc import Mapping

from judgeprobe.llm.templates import Template, load_template
from judgeprobe.records import BaseItem, Rejection
from judgeprobe.study import Study
from judgeprobe.taxonomy import Slot, Taxonomy

__all__ = ["NO_SLOT", "SEVERAL_SLOTS", "GeneratorPrompt", "VerifierPrompts", "listed_slots"]

NO_SLOT = "none"
SEVERAL_SLOTS = "several"

_GENERATOR = {
    *("measures", "slot", "gloss", "axis", "untouched", "length", "evidence", "claim"),
    *("refused_edit", "refused_reason"),
}
_VERIFIER = {"measures", "slots", "claims_more", "evidence", "original", "edited"}

Messages = tuple[dict[str, str], ...]


class GeneratorPrompt:
    """The generator's prompt of a study.

    Raises:
        InputError: Its file is missing, or has a place that nothing fills or lacks one it needs.
    """

    def __init__(self, study: Study) -> None:
        name = study.settings.generator.prompt
        self.template = load_template(name, relative_to=study.folder)
        self.template.check(_GENERATOR, {"slot", "gloss", "claim"})
        self._taxonomy = study.taxonomy

    def messages(self, item: BaseItem, slot: Slot, refused: Rejection | None) -> Messages:
        """What is sent for one base item and slot.

        Args:
            item: The base item.
            slot: The edit that is asked for.
            refused: The last attempt, where one was refused.
        """
        taxonomy = self._taxonomy
        others = [axis for axis in taxonomy.construct_axes if axis != slot.axis]
        values = {
            "measures": taxonomy.measures,
            "slot": slot.name,
            "gloss": slot.gloss,
            "axis": taxonomy.axes[slot.axis],
            "untouched": "\n".join(f"- {taxonomy.axes[axis]}" for axis in others),
            "length": _length(slot, taxonomy),
            "evidence": item.evidence,
            "claim": item.claim,
            "refused_edit": refused.text if refused else "none",
            "refused_reason": refused.reason if refused else "-",
        }
        return self.template.messages(values)


def _length(slot: Slot, taxonomy: Taxonomy) -> str:
    if slot.length == "free":
        return "as the edit needs it, and no other words"
    tolerance = taxonomy.constants.length_tolerance
    return f"at most {tolerance:.0%} longer or shorter than the original, in characters"


class VerifierPrompts:
    """The verifier's two prompts of a study: for the construct arm and for the control arm.

    Raises:
        InputError: As `GeneratorPrompt`.
    """

    def __init__(self, study: Study) -> None:
        settings = study.settings.verifier
        assert settings is not None
        self._taxonomy = study.taxonomy
        self._construct = load_template(settings.prompt_construct, relative_to=study.folder)
        self._control = load_template(settings.prompt_control, relative_to=study.folder)
        for template in (self._construct, self._control):
            template.check(_VERIFIER, {"slots", "original", "edited"})

    @property
    def templates(self) -> Mapping[str, Template]:
        """Both templates, by the arm they are for."""
        return {"construct": self._construct, "control": self._control}

    def template(self, slot: Slot) -> Template:
        """The template for a slot's arm."""
        return self._control if slot.arm == "invariance" else self._construct

    def messages(self, item: BaseItem, slot: Slot, edited: str) -> Messages:
        """What is sent for one edit. Of the slot only its arm decides anything."""
        listed = listed_slots(self._taxonomy, slot)
        values = {
            "measures": self._taxonomy.measures,
            "slots": "\n".join(f"- {entry.name}: {entry.gloss}" for entry in listed),
            "claims_more": self._taxonomy.claims_more,
            "evidence": item.evidence,
            "original": item.claim,
            "edited": edited,
        }
        return self.template(slot).messages(values)


def listed_slots(taxonomy: Taxonomy, slot: Slot) -> tuple[Slot, ...]:
    """The slots that the verifier chooses from: those of the arm; all of them for a control."""
    if slot.arm == "invariance":
        return taxonomy.slots
    return tuple(entry for entry in taxonomy.slots if entry.arm != "invariance")
