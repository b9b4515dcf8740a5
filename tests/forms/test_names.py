"""Forms by name: those asked for, all of them, or a refusal that names the ones there are."""

import pytest

from judgeprobe.errors import InputError
from judgeprobe.forms.names import FORMS, chosen_forms


def test_what_is_asked_for_or_all() -> None:
    assert chosen_forms(["xlsx", "html"]) == ["xlsx", "html"]
    assert chosen_forms(None) == chosen_forms([]) == FORMS


def test_an_unknown_form_is_refused() -> None:
    with pytest.raises(InputError, match=r"no form `pdf`.*html, csv, xlsx, label-studio"):
        chosen_forms(["csv", "pdf"])
