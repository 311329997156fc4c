"""How numbers are rounded and written, for every number: properties, by another road than Babel's."""

import math
from decimal import Decimal
from fractions import Fraction

import pytest
from built_page import GROUP_MARK, decimal, from_tex, read, written
from evaluate import rounded as rounded_fraction
from hypothesis import example, given
from hypothesis import strategies as st

from worked.errors import AuthorError
from worked.numbers import Locale, Number, Shown, quantized, rounded

LANGUAGES = ["pt", "en", "ru", "es"]
LOCALES = {code: Locale(code) for code in LANGUAGES}
languages = st.sampled_from(LANGUAGES)
values = st.floats(-1e7, 1e7, allow_nan=False)
places = st.integers(0, 6)


def shown(value, places, style="decimal"):
    """The number as printed; None where it lies too near a tie."""
    number = Shown(Number(value, "toy/x"), places, style)
    try:
        _ = number.digits
    except AuthorError:
        return None
    return number


def distance_from_tie(value, places):
    return abs(abs(Fraction(value)) * 10**places % 1 - Fraction(1, 2)) / 10**places


# --- rounding ------------------------------------------------------------------------------


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**9), max_value=10**9), places)
@example(Decimal("0.4935"), 3)
@example(Decimal("-0.4935"), 3)
@example(Decimal("-0.0005"), 3)
@example(Decimal("2.5"), 0)
def test_printed_digits_round_half_away_from_zero(value, places):
    digits = quantized(value, places)
    assert Fraction(digits) == rounded_fraction(Fraction(value), places)
    assert digits.as_tuple().exponent == -places


@given(st.decimals(-1, 1, allow_nan=False, places=5), st.integers(0, 3))
@example(Decimal("-0.0001"), 3)
@example(Decimal("-0"), 2)
def test_no_zero_is_negative(value, places):
    digits = quantized(value, places)
    assert not (digits == 0 and digits.is_signed())


@given(values, places)
@example(0.2375, 3)
@example(-0.2375, 3)
@example(0.5, 0)
@example(0.0005 + 2e-9, 3)
@example(0.0005 - 2e-9, 3)
@example(0.0005 + 0.9e-9, 3)
@example(0.0005 - 0.9e-9, 3)
def test_computed_values_are_refused_near_ties_and_only_there(value, places):
    if distance_from_tie(value, places) <= Fraction(1, 10**9):
        expected = rf"`toy/x` = .*rounding tie at {places} decimals.*places\({places + 1}\)"
        with pytest.raises(AuthorError, match=expected):
            rounded(value, places, "toy/x")
    else:
        assert Fraction(rounded(value, places, "toy/x")) == rounded_fraction(Fraction(value), places)


@pytest.mark.parametrize("value", [math.inf, math.nan])
def test_what_is_not_finite_has_no_digits(value):
    with pytest.raises(AuthorError, match=r"`toy/x` is (-?inf|nan): it has no digits to print"):
        rounded(value, 3, "toy/x")


def test_a_masked_score_is_minus_infinity_in_every_language_and_mode():
    masked = Number(-math.inf, "toy/masked_scores[t=1,s=2]").shown()
    for locale in LOCALES.values():
        assert (masked.plain(locale), masked.tex(locale), masked.code(locale)) == ("−∞", r"-\infty", "-inf")


# --- text ----------------------------------------------------------------------------------


@given(languages, values, places)
@example("en", -0.0001, 3)
@example("es", 9999.5004, 0)
@example("es", 9999.4, 0)
@example("pt", 999.9996, 3)
@example("ru", -1234567.25, 1)
def test_text_is_what_the_other_formatter_writes_and_reads_back(code, value, places):
    number = shown(value, places)
    if number is None:
        return
    text = LOCALES[code].text(number)
    assert text == decimal(Fraction(value), places, code)
    assert read(text, code) == Fraction(number.digits)
    assert not (text.startswith("−") and not text.strip("−0,."))


@given(languages, st.integers(-(10**12), 10**12))
def test_whole_numbers_are_written_whole(code, value):
    number = Number(value, "counted/x", exact=True).shown()
    assert number.places is None
    assert LOCALES[code].text(number) == decimal(Fraction(value), 0, code)


@given(languages, st.integers(-4000, 4000), st.sampled_from([Decimal("0.5"), Decimal("0.05"), Decimal("0.25")]))
def test_exact_weights_are_written_as_they_are(code, steps, step):
    exact = steps * step
    text = LOCALES[code].text(Number(float(exact), "toy/W", exact=True).shown())
    assert read(text, code) == Fraction(exact)
    assert not text.startswith("−0") or text.startswith("−0" + LOCALES[code].decimal_mark)
    assert not (LOCALES[code].decimal_mark in text and text.endswith("0"))


@pytest.mark.parametrize("value", [0.0, -0.0])
@pytest.mark.parametrize("code", LANGUAGES)
def test_zero_has_no_sign_in_any_mode(code, value):
    for number in (Number(value, "toy/W", exact=True).shown(), Number(value, "toy/x").shown()):
        for text in (LOCALES[code].text(number), number.tex(LOCALES[code]), number.code(LOCALES[code])):
            assert set(text) <= set("0.,{}"), text


@pytest.mark.parametrize("code, expected", [
    ("pt", "0,395 −0,518 50.257 4.096 −1.234.567,891 0,00001"),
    ("es", "0,395 −0,518 50.257 4096 −1.234.567,891 0,00001"),
    ("ru", "0,395 −0,518 50\N{NO-BREAK SPACE}257 4\N{NO-BREAK SPACE}096 "
           "−1\N{NO-BREAK SPACE}234\N{NO-BREAK SPACE}567,891 0,00001"),
    ("en", "0.395 −0.518 50,257 4,096 −1,234,567.891 0.00001"),
])  # fmt: skip
def test_numbers_look_as_agreed(code, expected):
    numbers = [
        Shown(Number(0.39544763, "a"), 3), Shown(Number(-0.51789, "a"), 3), Shown(Number(50257, "a")),
        Shown(Number(4096, "a")), Shown(Number(-1234567.8911, "a"), 3), Shown(Number(1e-5, "a")),
    ]  # fmt: skip
    assert " ".join(LOCALES[code].text(number) for number in numbers) == expected
    assert LOCALES[code].list_separator == ("," if code == "en" else ";")


# --- formulas and code ---------------------------------------------------------------------


@given(languages, values, places)
def test_tex_shows_what_text_says(code, value, places):
    number = shown(value, places)
    if number is not None:
        tex = number.tex(LOCALES[code])
        assert from_tex(tex) == LOCALES[code].text(number)
        assert tex.isascii()
        # A bare comma would be punctuation, with a space after it.
        assert "," not in tex.replace("{,}", "").replace(r"\,", "")


@given(languages, values, places)
def test_code_is_pythons_notation_in_every_language(code, value, places):
    number = shown(value, places)
    if number is not None:
        text = number.code(LOCALES[code])
        assert text == LOCALES["en"].text(number).replace(",", "").replace("−", "-")
        assert Fraction(text) == Fraction(number.digits)


@given(languages, values, places)
def test_the_element_keeps_all_digits_and_the_address(code, value, places):
    number = shown(value, places)
    if number is not None:
        text = LOCALES[code].text(number)
        assert number.prose(LOCALES[code]) == f'<data value="{value!r}" data-ref="toy/x">{text}</data>'
        assert number.picture(LOCALES[code]) == f'<tspan data-ref="toy/x" data-value="{value!r}">{text}</tspan>'
        assert float(repr(value)) == value


# --- styles --------------------------------------------------------------------------------


@given(languages, st.floats(-9.99, 9.99), st.integers(0, 2))
@example("pt", 0.31016904172658316, 0)
@example("ru", -0.0001, 0)
def test_percent(code, value, places):
    number = shown(value, places, "percent")
    if number is not None:
        assert LOCALES[code].text(number) == written(Fraction(value * 100) / 100, places, "percent", code)


@pytest.mark.parametrize("code, expected", [("pt", "1.234%"), ("en", "1,234%"), ("es", "1234\N{NO-BREAK SPACE}%")])
def test_percent_groups_as_plain_numbers_do(code, expected):
    assert LOCALES[code].text(Shown(Number(12.34, "a"), 0, "percent")) == expected


@given(languages, st.integers(10**6, 10**9 - 10**6), st.sampled_from([1, 2]))
@example("pt", 38_597_376, 1)
@example("en", 38_650_000, 1)
@example("en", 38_750_000, 1)
def test_compact_rounds_as_everything_printed_does(code, value, places):
    millions = rounded_fraction(Fraction(value, 10**6), places)
    if millions % 1 == 0:  # "38 million": the words change with the number; see below
        return
    text = LOCALES[code].text(Shown(Number(value, "counted/x", exact=True), places, "compact"))
    digits, _, words = text.partition(" ")
    assert read(digits, code) == millions
    assert words == {"pt": "milhões", "en": "million", "ru": "миллиона", "es": "millones"}[code] or abs(value) < 2e6


@pytest.mark.parametrize("code, expected", [
    ("pt", "124 milhões"), ("en", "124 million"), ("ru", "124 миллиона"), ("es", "124 millones"),
])  # fmt: skip
def test_compact_whole_millions(code, expected):
    assert LOCALES[code].text(Shown(Number(124_000_000, "counted/x", exact=True), 0, "compact")) == expected


@pytest.mark.parametrize("style", ["percent", "compact"])
def test_formulas_take_plain_decimals(style):
    with pytest.raises(AuthorError, match=rf"`counted/x`: a formula takes plain decimals, not {style}"):
        Shown(Number(38_597_376, "counted/x"), 1, style).tex(LOCALES["en"])


def test_group_marks_are_what_this_test_believes():
    """The other formatter's marks are typed by hand; CLDR may change under them."""
    for code, locale in LOCALES.items():
        assert locale.group_mark == GROUP_MARK[code]
