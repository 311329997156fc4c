"""The page follows the toy: its numbers, their formulas, its marks, and the way back."""

import json
import re
import shutil
import subprocess

import torch
from browsing import needs_browser
from built_page import decimal
from conftest import LANGUAGES, PAGES, ROOT
from evaluate import exactly
from lxml import html

from toymodel.model import Model, forward
from toymodel.parameters import named
from toymodel.runs import ATTENTION_OFF, NO_MASK, PROMPT, head_only
from toymodel.trace import Trace
from toymodel.weights import assemble, load_toy
from worked.mathematics import node

pytestmark = needs_browser
MODEL, VOCABULARY = load_toy()
IMPORTS = """
  const from = async (file) => import(`/assets/js/toy/${file}.js`);
  const [{ toyOf, live, run }, { page, text, equal }, { valueOf, sourceOf }, { made, MADE }] =
    await Promise.all(["state", "page", "source", "made"].map(from));
  const { default: data } = await from("data");
  const { default: language } = await from(`lang/${document.documentElement.lang}`);
  const toy = toyOf(data);
"""


def changed_trace(edits=None, **weights) -> Trace:
    """PyTorch's trace of the running prompt, with single weights changed: `W_U=((row, column), value)`."""
    tensors = {name: tensor.clone() for name, tensor in named(MODEL.parameters).items()}
    for name, (place, value) in weights.items():
        tensors[name][place] = value
    trace = Trace(edits)
    forward(torch.tensor(VOCABULARY.encode(PROMPT)), Model(MODEL.config, assemble([tensors])), trace)
    return trace


def edit(page, address: str, value: str) -> None:
    """Click a weight in a table and type."""
    page.locator(f'td data[data-ref="{address}"]').first.click()
    page.locator(".toy-field input").fill(value)
    page.locator(".toy-field input").press("Enter")


def shown(page, address: str, where: str = "td") -> str:
    return page.locator(f'{where} [data-ref="{address}"]').first.inner_text()


def settle(page) -> None:
    """Until what lies outside the view is repainted as well."""
    page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(() => setTimeout(done))))")


def test_the_types_hold(site, tmp_path):
    """The sources, with the modules that the build writes beside them."""
    sources = tmp_path / "toy"
    shutil.copytree(ROOT / "docs/assets/js/toy", sources)
    shutil.copytree(site / "assets/js/toy/lang", sources / "lang")
    shutil.copyfile(site / "assets/js/toy/data.js", sources / "data.js")
    options = ["--noEmit", "--allowJs", "--checkJs", "--strict", "--target", "es2024", "--module", "esnext",
               "--moduleResolution", "bundler", "--lib", "es2024,dom,dom.iterable"]
    tsc = ROOT / "node_modules/typescript/bin/tsc"
    assert tsc.is_file(), "TypeScript is not installed: run `make test`, which brings it"
    done = subprocess.run([node(), tsc, *options, sources / "main.js"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_the_browser_writes_each_number_as_the_build_does(alive, address):
    page, checked = alive("pt/index.html"), 0
    for language, name in [*(("pt", name) for name in PAGES), *((code, "heads.md") for code in LANGUAGES[1:])]:
        page.goto(f"{address}/{language}/{name.replace('.md', '.html')}")
        rows = page.evaluate(f"""async () => {{ {IMPORTS}
          const {{ items }} = page(live(toy), language.marks, document.querySelector(".md-content"));
          return items.filter((one) => one.before !== undefined)
            .map((one) => [one.address, one.text, text(one.before, one, language.marks)]);
        }}""")
        checked += len(rows)
        for what, built, written in rows:
            assert written.replace("\u00a0", " ") == built.replace("\u00a0", " "), (language, name, what)
    assert checked > 2500


FORMULAS = f"""async (on) => {{ {IMPORTS}
  const state = {{ ...toy.initial(), prompt: [0, 3, 4, 5, 1, 7, 10, 11], switches: new Set(on) }};
  const trace = run(state, toy), source = sourceOf(state, trace, toy);
  const wrong = new Set();
  let checked = 0;
  for (const name of Object.keys(MADE)) {{
    const walk = (axes, at) => {{
      if (!axes.length) {{
        const spot = Object.entries(at).map(([axis, label]) => `${{axis}}=${{label}}`).join(",");
        const value = valueOf(`toy/${{name}}[${{spot}}]`, source);
        if (value === undefined) return; // the last position's loss
        const reached = valueOf(made(name, at, state, toy), source);
        checked += 1;
        if (!equal(Number(reached), Number(value))) wrong.add(name);
        return;
      }}
      for (const label of axes[0].labels) walk(axes.slice(1), {{ ...at, [axes[0].name]: String(label) }});
    }};
    const part = source.tensor("toy", name);
    walk(part.axes.map((axis) => (axis.name === "v" ? {{ ...axis, labels: ["o", "iu"] }} : axis)), {{}});
  }}
  return [[...wrong], checked];
}}"""
MADE_BY_SWITCHES = {"no_mask": {"masked_scores"}, "no_mlp": {"m"}, "no_norm": {"a", "g", "f"},
                    "no_scaling": {"scaled_scores"}, "tied_output": set()}


def test_every_formula_leads_to_its_number(alive):
    """For each element of each tensor, but those that a switch makes in another way."""
    page = alive("en/index.html")
    for switches in [], ["no_mask"], ["tied_output", "no_mlp"], ["no_norm", "no_scaling"]:
        wrong, checked = page.evaluate(FORMULAS, switches)
        assert set(wrong) == set().union(*(MADE_BY_SWITCHES[name] for name in switches))
        assert checked > 700


def test_an_edited_weight_reaches_every_number_and_leaves_none_behind(alive):
    page = alive("pt/output.html")
    before = page.locator(".md-content").inner_html()
    edit(page, "toy/W_U[d=2,v=␣muro]", "2,5")
    settle(page)
    trace = changed_trace(W_U=((1, 7), 2.5))
    for name in ("z", "exp_z", "p"):
        expected = decimal(exactly(trace[name][4, 7].item()), 3, "pt")
        assert shown(page, f"toy/{name}[t=5,v=␣muro]") == expected
        assert "toy-changed" in page.locator(f'td [data-ref="toy/{name}[t=5,v=␣muro]"]').first.get_attribute("class")
    assert shown(page, "toy/W_U[d=2,v=␣muro]") == "2,5"
    assert shown(page, "max(toy/W_U)", ".range") == "2,5"
    page.get_by_role("button", name="Voltar ao original").click()
    settle(page)
    restored = page.locator(".md-content").inner_html()
    assert undecorated(restored) == undecorated(before)
    assert "toy=" not in page.evaluate("new Promise((done) => setTimeout(() => done(location.href), 250))")


def undecorated(markup: str) -> str:
    """Without classes and attributes that say nothing once nothing is changed, and without the laboratory."""
    tree = html.fromstring(f"<div>{markup}</div>")
    for step in tree.iter("toy-step"):
        step.clear()
    for one in tree.iter():
        own = [name for name in one.get("class", "").split() if not name.startswith("toy-")]
        one.attrib["class"] = " ".join(sorted(own))
        one.attrib.pop("tabindex", None)
        if not one.attrib["class"]:
            del one.attrib["class"]
        if "style" in one.attrib:
            one.attrib["style"] = re.sub(r"\s|;$", "", one.attrib["style"])
    return html.tostring(tree, encoding="unicode")


def test_sentences_keep_what_they_say_and_are_marked(alive):
    page = alive("en/output.html")
    sentence = page.locator('p data[data-ref="toy/p[t=5,v=␣telhado]"]').first
    before = sentence.inner_text()
    edit(page, "toy/W_U[d=2,v=␣muro]", "2.5")
    settle(page)
    assert sentence.inner_text() == before
    assert "toy-was" in sentence.get_attribute("class")
    variant = page.locator('[data-ref^="mean(toy.attention_off/loss)"]').first
    assert "toy-was" in variant.get_attribute("class")
    assert page.locator("figure svg.toy-was").count() == page.locator("figure svg:has([data-ref])").count()
    assert page.locator(".toy-notice").is_visible()


def test_a_worked_line_follows_until_a_switch_makes_its_result_otherwise(alive):
    page = alive("en/output.html")
    line = page.locator('.worked:has([data-ref="toy/f[t=5,d=1]"]):has([data-ref="toy/y_deviation[t=5]"])').last
    edit(page, "toy/W_U[d=1,v=␣telhado]", "1.25")
    settle(page)
    logit = page.locator('.worked:has([data-ref="toy/z[t=5,v=␣telhado]"])').first
    z = changed_trace(W_U=((0, 6), 1.25))["z"][4, 6].item()
    assert logit.locator('[data-ref="toy/z[t=5,v=␣telhado]"]').last.inner_text() == decimal(exactly(z), 3, "en")
    assert logit.locator(".mrel").last.inner_text() == "≈"
    assert logit.locator(".katex-mathml").first.is_hidden()
    page.locator("toy-step summary").first.click()
    page.get_by_label("no LayerNorm").check()
    settle(page)
    assert "toy-was" in line.get_attribute("class")
    assert line.locator(".toy-changed").count() == 0


def test_masked_cells_open_when_the_mask_is_off(alive):
    page = alive("en/heads.html")
    cell = page.locator('td:has(> [data-ref="toy/weights[head=1,t=1,s=2]"])')
    assert "masked" in cell.get_attribute("class")
    page.locator("toy-step summary").first.click()
    page.get_by_label("no mask").check()
    settle(page)
    assert "masked" not in cell.get_attribute("class")
    trace = changed_trace({"masked_scores": lambda masked, trace: trace["scaled_scores"]})
    assert cell.inner_text() == decimal(exactly(trace["weights"][0, 0, 1].item()), 3, "en")


def test_a_shorter_prompt_leaves_no_row_pretending(alive):
    page = alive("en/embeddings.html")
    page.locator("toy-step summary").first.click()
    page.locator("toy-step ol button").last.click()
    settle(page)
    last = page.locator('td [data-ref="toy/x[t=5,d=1]"]').first
    assert "toy-was" in last.get_attribute("class")
    page.locator(".toy-tokens .toy-token", has_text="␣cão").first.click()
    settle(page)
    assert page.locator("figure.values tbody th:has(.position) code.token.toy-changed", has_text="␣cão").count() > 0
    x = (MODEL.parameters.E[3, 0] + MODEL.parameters.P[4, 0]).item()
    assert shown(page, "toy/x[t=5,d=1]") == decimal(exactly(x), 3, "en")


def test_attention_off_is_the_run_of_that_name(alive):
    page = alive("en/generation.html")
    page.locator("toy-step summary").first.click()
    page.get_by_label("attention off").check()
    settle(page)
    cached = page.locator('[data-ref^="toy.cached/k"]').first  # the browser keeps no cache
    assert "toy-was" in cached.get_attribute("class")
    p = changed_trace(ATTENTION_OFF)["p"][4]
    row = page.locator(".toy-sampling tr.target")
    assert row.locator("code").inner_text() == VOCABULARY.tokens[int(p.argmax())]
    assert row.locator("td").first.inner_text() == decimal(exactly(p.max().item()), 3, "en")


def test_what_the_toy_is_compared_with_follows_its_weights(alive):
    page = alive("en/heads.html")
    edit(page, "toy/W_O[j=1,d=4]", "1.5")
    settle(page)
    for name, edits in (("no_mask", NO_MASK), ("attention_off", ATTENTION_OFF), ("head_1_only", head_only(1))):
        p = changed_trace(edits, W_O=((0, 3), 1.5))["p"][4, 6].item()
        assert shown(page, f"toy.{name}/p[t=5,v=␣telhado]") == decimal(exactly(p), 3, "en")


def test_every_tensor_says_where_it_is_made(site):
    """The link leads to a section that exists, in each language."""
    data = json.loads((site / "assets/js/toy/data.js").read_text(encoding="utf-8")[len("export default ") : -2])
    assert set(data["made"]) == set(data["names"]) >= {"E", "W_U", "x", "p", "loss"}
    for language in LANGUAGES:
        for name, target in data["made"].items():
            text = (site / language / f"{target['page']}.html").read_text(encoding="utf-8")
            assert f'id="{target["hash"]}"' in text, (language, name)
