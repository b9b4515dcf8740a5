"""Which forms may a sheet take?"""

from collections.abc import Sequence

from judgeprobe.errors import InputError

__all__ = ["FORMS", "chosen_forms"]

FORMS = ("html", "csv", "xlsx", "label-studio")


def chosen_forms(names: Sequence[str] | None) -> Sequence[str]:
    """The forms that were asked for; all of them where none was.

    Raises:
        InputError: One of the names is no form.
    """
    unknown = sorted(set(names or ()) - set(FORMS))
    if unknown:
        raise InputError(f"there is no form `{unknown[0]}`", remedy="use " + ", ".join(FORMS))
    return names or FORMS
