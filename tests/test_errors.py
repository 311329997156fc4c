"""Each mistake an author can make stops the build and says where, what was expected and what came."""

import json

import pytest
from conftest import PAGES, ROOT

import build_pages
import build_values
from worked.audit import AllowList
from worked.catalogue import Catalogue
from worked.errors import AuthorError, near_miss
from worked.glossary import load_glossaries
from worked.mathematics import Mathematics
from worked.measured import load_results
from worked.numbers import Locale
from worked.render import Renderer

HEAD = "# Title\n\n"  # what a test writes begins on line 3 of docs/en/page.md
PARTIAL = '[% import "part.jinja" as part with context %]\n\n[= part.f() =]\n'


@pytest.fixture(scope="session")
def values(twins):
    """What templates may use, from the trace of the built copy."""
    [cached] = (twins[0].root / ".cache").glob("trace-*.json")
    data = json.loads(cached.read_text(encoding="utf-8"))
    site = build_pages.site_facts({"steps": {"block": "mlp", "output": "output"}}, ["page.md"])
    words = Catalogue.load(ROOT / "docs/_lang/en.yml")
    results = load_results(ROOT / "trained" / "results")
    glossary = load_glossaries(ROOT / "docs", ["en"], PAGES)["en"]
    return data, build_values.values_of(data, results, words, site, glossary)


@pytest.fixture(scope="session")
def mathematics(values, tmp_path_factory):
    """One Node process for all the tests."""
    symbols = {name: (entry["tex"], entry["family"]) for name, entry in values[0]["names"].items()}
    one = Mathematics(ROOT / "node_modules/katex", tmp_path_factory.mktemp("katex") / "katex.json", symbols)
    yield one
    one.close()


@pytest.fixture
def render(values, mathematics, tmp_path):
    """Renders a page of its own, and partials beside it."""

    def page(text, **partials):
        for folder in ("docs/en", "docs/_shared"):
            (tmp_path / folder).mkdir(parents=True)
        (tmp_path / "docs/en/page.md").write_text(text, encoding="utf-8")
        for name, content in partials.items():
            (tmp_path / f"docs/_shared/{name}.jinja").write_text(content, encoding="utf-8")
        return Renderer(
            "en", [tmp_path / "docs/en", tmp_path / "docs/_shared"], values[1], Locale("en"), mathematics,
            AllowList.load(ROOT / "docs/_allowed_digits.yml"), tmp_path,
        ).render("page.md")

    return page


def message(render, text, **partials):
    with pytest.raises(AuthorError) as caught:
        render(text, **partials)
    assert not any("\ue000" <= char <= "\uf8ff" for char in str(caught.value)), "marks of ours in a message"
    return str(caught.value)


def test_a_page_without_mistakes_renders(render):
    page = render(HEAD + '[= p(t=5, v="␣telhado") =] and $[= z(t=5, v="␣telhado") =]$')
    assert [(row.address, row.text) for row in page.rows] == [
        ("toy/p[t=5,v=␣telhado]", "0.395"), ("toy/z[t=5,v=␣telhado]", "2.491"),
    ]


MISTAKES = [
    # Names
    ("[= los =]", 3, ["`los`", "did you mean `loss`?"]),
    ("one\ntwo\n[= lost =]", 5, ["`lost`", "did you mean `loss`?"]),
    ('[= run("toy.tid").p =]', 3, ["no run `toy.tid`", "did you mean `toy.tied`?"]),
    ('[= run("toy.tied").exp_y =]', 3, ["run `toy.tied` has no value `exp_y`", "did you mean `exp_z`?"]),
    ('[= counted("toy.blcks") =]', 3, ["nothing counted as `toy.blcks`", "did you mean `toy.blocks`?"]),
    ('[= result("size_formla").gpt2_small_total =]', 3,
     ["no experiment `size_formla`", "did you mean `size_formula`?"]),
    ('[= result("size_formula").gpt2_small_totl =]', 3, ["has no value `gpt2_small_totl`", "did you mean"]),
    ('[= result("score_variance").variance(head_width=65) =]', 3,
     ["`measured/score_variance.variance` has no head_width=65"]),
    ('[= result("score_variance").file.settings =]', 3, ["`measured/score_variance` has no `settings`"]),
    ('[= token("␣telado") =]', 3, ["no token `␣telado`", "did you mean `␣telhado`?"]),
    ('[= site.number("outpt") =]', 3, ["no step `outpt`", "did you mean `output`?"]),
    ('[= source("toymodel/model.py", ["unembd"]) =]', 3,
     ["`toymodel/model.py` defines no `unembd`", "did you mean `unembed`?"]),
    ('[= source("toymodel/modl.py", ["unembed"]) =]', 3,
     ["no source file `toymodel/modl.py`", "did you mean `toymodel/model.py`?"]),
    ('[= term("logt") =]', 3, ["no term `logt` in the glossary", "did you mean `logit`?"]),
    ('One [= term("logit") =],\ntwo [= term("logit", "logits") =].', 4,
     ["the term `logit` is explained above on this page; once is enough"]),
    ("[= words.postion =]", 3, ["en.yml has no `postion`", "did you mean `position`?"]),
    ("[= words.steps.outpt.title =]", 3, ["en.yml: steps has no `outpt`", "did you mean `output`?"]),
    ("[% include 'nothing.jinja' %]", 3, ["no template `nothing.jinja`"]),
    # Addresses
    ("[= z(r=5) =]", 3, ["`toy/z` has no axis `r`", "its axes: t, v"]),
    ('[= z(t=5, v="o")(t=4) =]', 3, []),
    ("[= z(t=9) =]", 3, ["`toy/z` has no t=9", "t runs from 1 to 5"]),
    ("[= z(t=0) =]", 3, ["`toy/z` has no t=0", "t runs from 1 to 5"]),
    ('[= z(t=5, v="␣telado") =]', 3, ["`toy/z[t=5]` has no v='␣telado'", "did you mean `␣telhado`?"]),
    ('[= z(t=5, v=["o", "␣telado"]) =]', 3, ["`toy/z[t=5]` has no v='␣telado'", "did you mean `␣telhado`?"]),
    ("[= z(t=5) =]", 3, ["`toy/z[t=5]` is not one number", "v (o to <|endoftext|>)"]),
    ("[= z | places(2) =]", 3, ["`toy/z` is not one number", "t (1 to 5)", "v (o to <|endoftext|>)"]),
    ("[= argmax(p) =]", 3, ["`toy/p` is no vector", "fix all axes but one"]),
    ("[= argmax(W_U(v='␣sofá')) =]", 3, ["`toy/W_U[v=␣sofá]` has two largest elements: 2 and 4"]),
    # Numbers
    ("[= x_mean(t=5) =]", 3, ["`toy/x_mean[t=5]` = 0.2375", "rounding tie at 3 decimals", "`places(4)`"]),
    ("[= exp(z(t=5, v=\"o\") + 1000) =]", 3, ["exp(add(toy/z[t=5,v=o],1000))", "cannot be computed"]),
    ('[= ln(z(t=5, v="o")) =]', 3, ["`ln(toy/z[t=5,v=o])` cannot be computed", "math domain error"]),
    ('[= z(t=5, v="␣no") / z(t=5, v="o") =]', 3, ["`div(toy/z[t=5,v=␣no],toy/z[t=5,v=o])` cannot be computed"]),
    ("[= exp =]", 3, ["nothing to print", "function", "did you forget its `()`?"]),
    ('[= z(t=5, v="o") ~ "x" =]', 3, ["`toy/z[t=5,v=o]` became text before it was printed"]),
    ('[= p(t=4, v="o") / p(t=5, v="o") | percent =]', 3, ["`toy/p[t=5,v=o]` is already set to print", "compute first"]),
    ('[= z(t=5, v="o") | places("3") =]', 3, ["expected a number of decimals, got '3'"]),
    ('[= z(t=5, v="␣no") | places(40) =]', 3, ["to 40 decimals: expected 0 to 15"]),
    ('`[= p(t=5, v="o") | percent =]`', 3, ["code takes plain decimals, not percent"]),
    ("[= z(t=true) =]", 3, ["`toy/z` has no t=True"]),
    ("[= 5 =]", 3, ["5 has no address"]),
    ("[= none =]", 3, ["nothing to print", "None"]),
    ('$[= p(t=5, v="o") | percent =]$', 3, ["`toy/p[t=5,v=o]`", "a formula takes plain decimals, not percent"]),
    # Claims
    ('[% claim z(t=5, v="o") > 0.5 %]A sentence[% endclaim %]', 3,
     ["the claim no longer holds", "expected toy/z[t=5,v=o] > 0.5", "got 0.0 > 0.5", "A sentence"]),
    ('[% claim z(t=5, v="o") > 0.5 %]A sentence of\ntwo lines with [= z(t=5, v="o") =][% endclaim %]', 3,
     ["the claim no longer holds", "A sentence of two lines"]),
    ('[% claim argmax(p(t=5)) == "␣muro" %]A wall.[% endclaim %]', 3,
     ["expected argmax(toy/p[t=5]) = '␣muro'", "got '␣telhado' = '␣muro'"]),
    ("[% claim true %]A sentence[% endclaim %]", 3, ["a claim compares values with an address", "got bool True"]),
    ("[% claim 3 > 2 %]A sentence[% endclaim %]", 3, ["a claim compares values with an address", "got bool True"]),
    ('[= z(t=5, v="o") > 1 =]', 3, ["nothing to print"]),
    ("[% claim [] %]A sentence[% endclaim %]", 3, ["a claim without a comparison"]),
    ('[% claim z(t=5, v="o") < 1 and z(t=5, v="o") > 2 %]x[% endclaim %]', 3, ["several apart by commas"]),
    ('one\n\n[% claim z(t=5, v="o") > 1 %]A.[% endclaim %]\n\n[% claim z(t=5, v="o") > 2 %]B.[% endclaim %]', 5,
     ["expected toy/z[t=5,v=o] > 1", "docs/en/page.md:7: the claim no longer holds", "> 2"]),
    # Formulas
    (r"$\frac{a}$", 3, ["the formula does not parse", "KaTeX parse error", r"in: \frac{a}"]),
    ("one\n\n$$\nx^{\n$$", 5, ["the formula does not parse", "Expected '}', got 'EOF'", "in: x^{"]),
    (r"$\unheard$", 3, ["the formula does not parse", r"Undefined control sequence: \unheard"]),
    ("??? question \"Why?\"\n\n    Because\n    $\\frac{a}$.", 6, ["the formula does not parse", r"in: \frac{a}"]),
    ("- one\n    - two\n\n        $\\frac{a}$", 6, ["the formula does not parse"]),
    (r"$\tensor{lgits}$", 3, ["no tensor `lgits`", "did you mean `weights`?"]),
    (r"one $\tensor{lss}$", 3, ["no tensor `lss`", "did you mean `loss`?"]),
    # What nobody computed
    ("We have 12 tokens.", 3, ["digits typed by hand", "'12'", "allowed digits"]),
    ("one\n\n    two 3.5x\n", 5, ["digits typed by hand", "'3.5x'"]),
    ("a `name 12` b", 3, ["digits typed by hand", "12"]),
    ("$x + 12$", 3, ["digits typed by hand in a formula", "'12'", "'x + 12'"]),
    ('<img src="x" alt="the 12 tokens">', 3, ["digits typed by hand in an attribute", "'12'", "alt="]),
    ('<a href="x" title="the 12 tokens">x</a>', 3, ["digits typed by hand in an attribute", "'12'"]),
    ("It is <em>about</em> 300. Then", 3, ["digits typed by hand", "300."]),
    ('[= counted("toy.blocks") =]00. Next', 3, ["digits typed by hand", "00."]),
    ("&#52; of them", 3, ["digits typed by hand"]),
    ("<ol start='42'><li>x</li></ol>", 3, ["digits typed by hand in an attribute", "42"]),
    ('[x](y "42")', 3, ["digits typed by hand", "42"]),
    ("<svg><text>42</text></svg>", 3, ["digits typed by hand", "42"]),
    ("It costs $ here.", 3, ["`$` that has no partner"]),
    ("one\n\ntwo $x$ and $ here.", 5, ["`$` that has no partner"]),
    # Lines of arithmetic
    ('[= dot_line(["x"], f(t=4), W_U(v="␣telhado"), z(t=5, v="␣telhado")) =]', 3,
     ["the worked line does not lead to `toy/z[t=5,v=␣telhado]`", "its numbers give"]),
    ('[= sum_line(["x"], y(t=5), total(y(t=4))) =]', 3, ["the worked line does not lead to `sum(toy/y[t=4])`"]),
    ('[= quotient_line(["x"], counted("toy.vocabulary"), counted("toy.width"), counted("toy.heads")) =]', 3,
     ["does not lead to `counted/toy.heads`"]),
    ('[= logarithm_line(["x"], p(t=5, v="␣telhado"), loss(t=5)) =]', 1,
     ["prints ≈ and the page does not say why", "`[= rounding_note() =]`"]),
    ('[= dot_line(["x"], f(t=5), p(t=5), z(t=5, v="o")) =]', 3,
     ["`toy/f[t=5]` has 4 numbers, `toy/p[t=5]` 12", "a dot product needs as many"]),
    ('[= sum_line(["x"], f(t=5), p(t=5)) =]', 3, ["a worked line takes numbers", "got `toy/p[t=5]`"]),
    # Template syntax
    ("one\n[% for x in %]", 4, ["Expected an expression, got 'end of statement block'"]),
    ("one\n[% if p %]", 4, ["Unexpected end of template", "'endif'"]),
    ("one\n[% clam p > 1 %]", 4, ["unknown tag 'clam'"]),
]  # fmt: skip


@pytest.mark.parametrize("text, line, parts", MISTAKES, ids=range(1, len(MISTAKES) + 1))
def test_message(render, text, line, parts):
    text = message(render, HEAD + text)
    assert text.startswith(f"docs/en/page.md:{line}: "), text
    for part in parts:
        assert part in text, text


@pytest.mark.parametrize("wrong, parts", [
    ("[= lost =]", ["`lost`", "did you mean `loss`?"]),
    (r"$\frac{a}$", ["the formula does not parse"]),
    ("We have 12 tokens.", ["digits typed by hand", "'12'"]),
    ("It costs $ here.", ["`$` that has no partner"]),
    ("[% claim p(t=5, v='o') > 1 %]A sentence[% endclaim %]", ["the claim no longer holds"]),
    ("[= x_mean(t=5) =]", ["rounding tie"]),
])  # fmt: skip
@pytest.mark.parametrize("indent", ["", "    "])
@pytest.mark.parametrize("opened, closed", [("", ""), ("[% filter one_line %]\n<p>\n", "</p>\n[% endfilter %]\n")])
def test_a_mistake_in_a_partial_is_found_there(render, wrong, parts, indent, opened, closed):
    lines = f"[~ A partial ~]\n\n[% macro f() %]\nfine\n{opened}{indent}{wrong}\n{closed}[% endmacro %]\n"
    line = lines[: lines.index(wrong)].count("\n") + 1
    text = message(render, HEAD + PARTIAL, part=lines)
    assert text.startswith(f"docs/_shared/part.jinja:{line}: "), text
    for part in parts:
        assert part in text, text


@pytest.mark.parametrize("given, candidates, clause", [
    ("lss", ["loss", "p"], "; did you mean `loss`?"),
    ("qqq", ["loss", "p"], "; there is `loss`, `p`"),
    ("qqq", [f"name{n}" for n in range(13)], ""),
])
def test_near_miss(given, candidates, clause):
    assert near_miss(given, candidates) == clause


def test_allowed_digits_need_a_reason(tmp_path):
    file = tmp_path / "allowed.yml"
    file.write_text("prose:\n  - {pattern: 'x'}\nformula: []\n", encoding="utf-8")
    with pytest.raises(AuthorError, match=r"allowed.yml:1: the pattern 'x' has no reason"):
        AllowList.load(file)
