"""What search engines, link previews and lost readers get: titles, alternates, the picture, "not found"."""

import io
import re

import pytest
from built_page import Page
from conftest import LANGUAGES, PAGES
from lxml import html
from PIL import Image, ImageChops

ADDRESS = "https://example.org/inside/"


@pytest.fixture(scope="module")
def addressed(twins, tmp_path_factory):
    """The site as it is when it knows where it will live."""
    folder = tmp_path_factory.mktemp("addressed") / "site"
    done = twins[0].python("-m", "mkdocs", "build", "--quiet", "--site-dir", str(folder), SITE_URL=ADDRESS[:-1])
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def document(folder, language: str, page: str):
    return html.fromstring((folder / language / page.replace(".md", ".html")).read_bytes())


def meta(page, name: str) -> str:
    [content] = page.xpath(f"//meta[@property='{name}' or @name='{name}']/@content")
    return content


def test_every_page_has_a_title_and_a_description_of_its_own(site):
    for part in ("/html/head/title/text()", "//meta[@name='description']/@content"):
        found = [document(site, code, page).xpath(part) for code in LANGUAGES for page in PAGES]
        assert all(len(one) == 1 and one[0].strip() for one in found)
        assert len({one[0] for one in found}) == len(found), part


@pytest.mark.parametrize("language", LANGUAGES)
def test_pages_name_their_address_and_the_same_page_in_every_language(addressed, language):
    for name in PAGES:
        page, path = document(addressed, language, name), name.replace(".md", ".html")
        assert page.xpath("//link[@rel='canonical']/@href") == [f"{ADDRESS}{language}/{path}"]
        alternates = {link.get("hreflang"): link.get("href") for link in page.xpath("//link[@rel='alternate']")}
        assert alternates == {
            **{code: f"{ADDRESS}{code}/{path}" for code in LANGUAGES}, "x-default": f"{ADDRESS}index.html"
        }
        assert meta(page, "og:url") == f"{ADDRESS}{language}/{path}"
        assert meta(page, "og:image") == f"{ADDRESS}assets/preview-{language}.png"
        assert meta(page, "og:title").endswith(meta(page, "og:site_name"))
        assert meta(page, "og:description") == meta(page, "description")


def test_without_an_address_no_page_pretends_to_know_one(site):
    for code in LANGUAGES:
        for name in PAGES:
            page = document(site, code, name)
            assert not page.xpath("//link[@rel='canonical' or @rel='alternate'] | //meta[@property='og:url']")


def test_the_sitemap_lists_every_page(addressed):
    for code in LANGUAGES:
        text = (addressed / code / "sitemap.xml").read_text(encoding="utf-8")
        listed = re.findall("<loc>(.*?)</loc>", text)
        assert sorted(listed) == sorted(f"{ADDRESS}{code}/{page.replace('.md', '.html')}" for page in PAGES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_picture_says_what_the_output_page_says(addressed, site, language):
    said = meta(document(addressed, language, "index.md"), "og:image:alt")
    text, choices = said.split(" → ")
    assert text == "o gato subiu no"
    rows = document(site, language, "output.md").xpath("//table[@class='softmax']/tbody/tr")
    table = [
        f"{row.xpath('string(th/code)').strip('␣')} {row.xpath('string(td[@class=$kind][3])', kind='number').strip()}"
        for row in rows
    ]
    assert choices.split(" · ") == table[:5]


def test_the_pictures_are_drawn_in_each_language(site):
    pictures = [Image.open(io.BytesIO((site / f"assets/preview-{code}.png").read_bytes())) for code in LANGUAGES]
    for picture in pictures:
        assert picture.size == (1200, 630)
        ground = Image.new("RGB", picture.size, picture.getpixel((1199, 629)))
        left, top, right, bottom = ImageChops.difference(picture, ground).crop((0, 20, 1200, 630)).getbbox()
        assert left > 60 and right < 1140 and top > 20 and bottom < 600  # inside its margins
    assert len({picture.tobytes() for picture in pictures}) == len(LANGUAGES)


@pytest.mark.parametrize("folder", ["", *LANGUAGES])
def test_not_found_needs_no_other_file(site, folder):
    page = html.fromstring((site / folder / "404.html").read_bytes())
    assert not page.xpath("//@src | //link/@href")
    assert page.xpath("//section/@lang")[0] == (folder or LANGUAGES[0])
    assert sorted(page.xpath("//section//a/@href")) == sorted(f"/{code}/index.html" for code in LANGUAGES)
    assert len(page.xpath("//h1")) == 1


def test_not_found_leads_home_where_the_site_has_an_address(addressed):
    page = html.fromstring((addressed / "404.html").read_bytes())
    assert page.xpath("//section//a/@href") == [f"{ADDRESS}{code}/index.html" for code in LANGUAGES]
    assert Page(addressed, "ru", "index.md").article is not None
