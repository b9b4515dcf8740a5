"""Which shipped prompt stands to a shipped prompt as its paraphrase, its other order, its pair?

Paraphrases are of one prompt: judges that are asked with a prompt of the user's own get none of
them, since another text would be no paraphrase of theirs.
"""

from judgeprobe.sweep.models import COMPLETION_PROMPT

__all__ = ["CLAIM_FIRST", "PAIRED", "PARAPHRASES", "STEPS_PROMPT", "shipped_kind"]

STEPS_PROMPT = "judge_completion_steps.v1"
_CHAT, _COMPLETION = "chat", "completion"
_SHIPPED = {"judge.v1": _CHAT, COMPLETION_PROMPT: _COMPLETION}

# For each variant the name of the prompt, by the kind of the prompt that it stands for.
PARAPHRASES: tuple[dict[str, str], ...] = tuple(
    {
        _CHAT: f"judge_paraphrase_{number}.v1",
        _COMPLETION: f"judge_completion_paraphrase_{number}.v1",
    }
    for number in range(1, 6)
)
CLAIM_FIRST = {_CHAT: "judge_claim_first.v1", _COMPLETION: "judge_completion_claim_first.v1"}
PAIRED = {_CHAT: "judge_paired.v1", _COMPLETION: "judge_paired_completion.v1"}


def shipped_kind(prompt: str) -> str:
    """The kind of a prompt that variants are shipped of, "chat" or "completion"; else ""."""
    return _SHIPPED.get(prompt, "")
