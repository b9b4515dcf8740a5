import pytest

from judgeprobe.build.facts import defined_in, names, numbers, plain, spells_out


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("5 km", "5 kilometres"), ("5\u00a0km", "5 km"), ("10%", "10 percent"),
        ("10 per cent", "10%"),
        ("1,200 ponds", "1200 ponds"), ("three wards", "3 wards"), ("8-week", "8 weeks"),
        ("18\u201325", "18-25"), ("2.5-fold", "2.5 fold"), ("\u22125 \u00b0C", "-5 \u00b0C"),
        ("5 \u00b5m", "5 \u03bcm"), ("a 65-year-old", "aged 65 years"),
    ],
)  # fmt: skip
def test_the_same_number_in_another_spelling(one: str, other: str) -> None:
    assert numbers(one) == numbers(other)
    assert numbers(one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("5 mg", "5 g"), ("5 mg", "50 mg"), ("0.4", "4"), ("-5", "5"), ("10%", "10"),
        ("5 K", "5 k"),
        ("10\u00b2", "102"), ("12 weeks", "12 months"), ("3 and 3", "3"),
    ],
)  # fmt: skip
def test_another_number(one: str, other: str) -> None:
    assert numbers(one) != numbers(other)


@pytest.mark.parametrize("text", ["a 3D map", "GPT-2", "COVID-19 cases", "PM2.5", "the CO2 level"])
def test_a_digit_inside_an_identifier_is_no_number(text: str) -> None:
    assert not numbers(text)


def test_names_and_acronyms() -> None:
    found = names("The mRNA of GPT-4 users in northern Finland's COVID-19 wards had a pH of 7.")
    assert found.sure == {"mRNA", "GPT-4", "Finland", "COVID-19", "pH"}
    assert found.first == {"The"}


def test_a_plural_acronym_is_its_singular() -> None:
    assert names("Those CNNs").sure == names("That CNN").sure


def test_the_first_word_counts_only_where_it_must() -> None:
    assert not names("Students slept.").without(names("Now students slept."))
    assert names("Sweden slept.").without(names("Norway slept.")) == {"Sweden"}
    assert not names("Sweden slept.").without(names("In Sweden they slept."))
    assert not names("Lidar failed.").without(names("Now lidar failed."))


def test_markup_is_no_content() -> None:
    assert plain("### **Ice** melts.") == plain("- Ice melts.") == "Ice melts."
    assert plain("2 * 3 is 6") == "2 3 is 6"


def test_a_long_form_from_the_evidence() -> None:
    evidence = "The field tolerance test (FTT) and a body-mass index (BMI) were taken."
    assert defined_in(evidence, "FTT") == "field tolerance test"
    assert defined_in(evidence, "BMI") == "body-mass index"
    assert defined_in(evidence, "MRI") is None


def test_spelling_out_prefers_what_is_defined() -> None:
    assert spells_out("MRI", "the magnetic resonance imaging scan") == "magnetic resonance imaging"
    assert spells_out("MRI", "the medical record index") is None
    assert spells_out("QVT", "the quick visual test") == "quick visual test"
    assert spells_out("FTT", "a final time trial", "A field tolerance test (FTT).") is None
    assert spells_out("CO2", "the carbon dioxide level") == "carbon dioxide"
