"""The controls of the toy: each does what it says, and what PyTorch does."""

import torch
from browsing import address_of, laboratory, needs_browser, prompt_of

from toymodel.generate import distribution, draw, generate
from toymodel.model import logits
from toymodel.runs import PROMPT
from toymodel.weights import load_toy

pytestmark = needs_browser
MODEL, VOCABULARY = load_toy()


def test_tokens_are_appended_and_removed(alive):
    lab = laboratory(page := alive("en/tokens.html"))
    lab.get_by_role("group", name="Tokens to append").get_by_role("button", name="␣telhado").click()
    assert prompt_of(page) == ["o", "␣gato", "␣sub", "iu", "␣no", "␣telhado"]
    lab.get_by_role("button", name="Remove ␣gato, position 2").click()
    assert prompt_of(page) == ["o", "␣sub", "iu", "␣no", "␣telhado"]
    for _ in range(4):
        lab.locator("ol button").first.click()
    assert len(prompt_of(page)) == 1
    assert lab.locator("ol button").is_disabled()
    for _ in range(7):
        lab.get_by_role("group", name="Tokens to append").get_by_role("button", name="iu").click()
    assert lab.get_by_role("group", name="Tokens to append").get_by_role("button", name="iu").is_disabled()
    assert "8" in lab.locator(".toy-prompt .toy-said").inner_text()


def test_a_text_is_cut_or_it_is_said_why_not(alive):
    lab = laboratory(page := alive("en/tokens.html"))
    field, message = lab.get_by_label("or as text"), lab.locator(".toy-prompt .toy-said")
    for text, said in (("o gato dormiu no", "dormiu"), ("", "nothing to cut"), ("ooooooooo", "9 tokens"),
                       ("<b>o</b>", "<b>o</b>"), ("o cão subiu", "")):
        field.fill(text)
        field.press("Enter")
        assert said in message.inner_text() if said else message.is_hidden()
        assert prompt_of(page) == VOCABULARY.strings(VOCABULARY.encode(PROMPT if said else text))


def test_each_switch_goes_on_and_off(alive):
    lab = laboratory(page := alive("pt/block.html"))
    answer, seen = page.locator(".toy-answer"), set()
    plain = answer.inner_text()
    for box in lab.get_by_role("checkbox").all():
        box.check()
        seen.add(address_of(page).split("toy=")[1])
        assert page.locator(".toy-notice").is_visible()
        box.uncheck()
        assert answer.inner_text() == plain
        assert page.locator(".toy-notice").is_hidden()
    assert len(seen) == 10


def test_a_change_is_taken_back_and_all_of_them_are(alive):
    lab = laboratory(page := alive("en/output.html"))
    lab.get_by_label("no MLP").check()
    lab.get_by_label("no mask").check()
    page.get_by_role("button", name="Undo").click()
    assert not lab.get_by_label("no mask").is_checked()
    assert lab.get_by_label("no MLP").is_checked()
    lab.get_by_label("no scaling of scores").check()
    page.get_by_role("button", name="Back to the original").click()
    assert lab.locator("input:checked").count() == 0
    assert page.locator(".toy-notice").is_hidden()
    assert "toy=" not in address_of(page)


def test_the_loop_writes_what_pytorch_writes(alive):
    lab = laboratory(page := alive("en/generation.html"))
    written = generate(MODEL, VOCABULARY.encode(PROMPT), 3, end=VOCABULARY.end)
    for _ in written.steps:
        lab.get_by_role("button", name="Append the next token").click()
    assert prompt_of(page) == VOCABULARY.strings(written.ids)
    assert lab.get_by_role("button", name="Append the next token").is_disabled()
    assert lab.locator(".toy-sampling .toy-said").inner_text().endswith("The text has ended.")


def test_temperature_top_k_top_p_and_the_random_number_choose(alive):
    lab = laboratory(alive("pt/generation.html"))
    for label, value in (("temperatura", "1,7"), ("top-k", "6"), ("top-p", "0,8"), ("número aleatório", "0,77")):
        lab.get_by_label(label).fill(value)
    z = logits(torch.tensor(VOCABULARY.encode(PROMPT)), MODEL)[-1]
    p = distribution(z, 1.7, 6, 0.8)
    chosen = VOCABULARY.tokens[draw(p, 0.77)]
    assert lab.locator("tr.target code").inner_text() == chosen
    assert [text for text in lab.locator(".toy-sampling td:nth-child(3)").all_inner_texts() if text != "—"] == [
        f"{share:.3f}".replace(".", ",") for share in p.tolist() if share]
    lab.get_by_label("top-p").fill("2")
    assert lab.get_by_label("top-p").get_attribute("aria-invalid") == "true"
    assert "fatia" in lab.locator(".toy-sampling .toy-said").inner_text()
    assert lab.locator("tr.target code").inner_text() == chosen
    lab.get_by_role("button", name="Sortear um número").click()
    assert 0 <= float(lab.get_by_label("número aleatório").input_value().replace(",", ".")) < 1
