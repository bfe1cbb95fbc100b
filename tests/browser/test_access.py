"""Accessibility of every page: axe finds nothing, under the strict policy, from a subfolder of a host."""

from __future__ import annotations

import re
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from bookkit.serve_book import configured_headers
from tests.browser.conftest import Watched

OpenPage = Callable[..., Watched]
RULES = {
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    "rules": {"label-content-name-mismatch": {"enabled": True}},
}
OF_SIZE_AND_COLOR = {"runOnly": ["target-size", "scrollable-region-focusable", "color-contrast", "link-in-text-block"]}
SUB_PATH = "books/attention"
# Of thousands of colored words of code, axe checks the first of each color; of the formulas it checks ten.
THIN = """() => {
  const seen = new Map();
  for (const word of document.querySelectorAll("pre span:not(:has(*))")) {
    const kind = `${word.className} ${word.closest("pre").parentElement.className}`;
    seen.set(kind, (seen.get(kind) || 0) + 1);
    if (seen.get(kind) > 3) word.replaceWith(word.textContent);
  }
  for (const formula of [...document.querySelectorAll(".katex")].slice(10)) formula.replaceWith("x");
}"""

# Contrast takes axe longest. Text in elements of the same tags, classes, styles and states has the same colors: of
# each such kind the first two are looked at, on whatever page they are, inside widgets too. All of every widget is
# looked at by tests/browser/test_widgets.py and test_attention_view_access.py.
MARK = """(counted) => {
  const chosen = /\\b(note|chapter|kind)-[\\w-]+/g; // what the errata are chosen by has no style
  const told = ["style", "fill", "disabled", "aria-pressed", "aria-selected", "aria-checked"];
  const part = (e) =>
    `${e.localName}.${e.getAttribute("class")?.replace(chosen, "")} ${told.map((name) => e.getAttribute(name))}`;
  const above = (e) => e.parentElement ?? e.getRootNode().host;
  const kind = (e) => (e === document.body ? "" : `${part(e)} < ${kind(above(e))}`);
  const seen = new Map(counted);
  const mark = (root) => {
    for (const e of root.querySelectorAll("*")) {
      if (e.shadowRoot) mark(e.shadowRoot);
      const text = [...e.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
      if (!text && !e.matches("input, select")) continue;
      const its = kind(e);
      seen.set(its, (seen.get(its) || 0) + 1);
      if (seen.get(its) <= 2) e.dataset.marked = "";
    }
  };
  mark(document.body);
  axe.configure({
    rules: [
      { id: "color-contrast", selector: "[data-marked]" },
      { id: "link-in-text-block", selector: "a[href][data-marked]" },
    ],
  });
  return [...seen];
}"""
# A page with a theme is told, as by its button: that it follows the reader's system is another test's matter. Then
# colors change slowly, and the theme looks at what scrolls 300 ms after a resize, by the clock that is asked here.
DARK = """() => {
  const told = document.documentElement.dataset;
  if (told.theme) told.theme = "dark";
  return new Promise((done) => requestAnimationFrame(() => setTimeout(done, 320)));
}"""
Counted = list[tuple[str, int]]  # how often each kind has occurred

# Every element, those inside a widget's shadow too.
ALL = """(function all(root) {
  return [...root.querySelectorAll("*")].flatMap((e) => [e, ...(e.shadowRoot ? all(e.shadowRoot) : [])]);
})(document)"""
OPERATED = """(e) => e.matches("a[href], button, input, select, summary") && !e.disabled && e.tabIndex >= 0
  && e.checkVisibility({ checkVisibilityCSS: true })"""
FOCUSED = f"""() => {{
  let e = document.activeElement;
  if (e === document.body) return null;
  while (e.shadowRoot?.activeElement) e = e.shadowRoot.activeElement;
  const marked = [getComputedStyle(e), getComputedStyle(e, "::after")] // a card's link marks the card
    .some((style) => style.outlineStyle !== "none" || style.boxShadow !== "none");
  const seen = marked || e.closest(".skip-link") !== null;
  return [{ALL}.indexOf(e), seen, e.outerHTML.slice(0, 120)];
}}"""


@pytest.fixture(scope="module")
def address(built_book: Path, serve: Callable[[Path], str], tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of the book in a subfolder of a host, served with its headers."""
    host = tmp_path_factory.mktemp("host")
    place = host / SUB_PATH
    place.parent.mkdir(parents=True)
    place.symlink_to(built_book, target_is_directory=True)
    for name in ("index.html", "_headers", "404.html"):
        (host / name).symlink_to(built_book / name)
    return f"{serve(host)}/{SUB_PATH}"


def names(book: Path) -> list[str]:
    found = [path.relative_to(book).as_posix() for path in sorted((book / "book").rglob("*.html"))]
    return [*found, "search.html", "genindex.html", "404.html"]


def until(page: Page, condition: str) -> None:
    """Wait; `wait_for_function` evaluates its text in the page again and again, which the policy forbids."""
    deadline = time.monotonic() + 30
    while not page.evaluate(condition):
        assert time.monotonic() < deadline, f"never: {condition}"
        page.wait_for_timeout(50)


def violations(page: Page, options: dict[str, object]) -> list[str]:
    asked = {**options, "preload": False, "resultTypes": ["violations"]}
    found = page.evaluate("(options) => axe.run(document, options).then(({ violations }) => violations)", asked)
    return [
        f"{rule['id']}: {node['html'][:120]} ({' '.join(node['failureSummary'].split())[:200]})"
        for rule in found
        for node in rule["nodes"][:3]
    ]


def on_a_phone_and_a_desk(page: Page, *, counted: Counted) -> list[str]:
    """The findings of axe on a phone in light mode and on a desktop in dark mode; pages share ``counted``."""
    page.evaluate(Axe().axe_script)
    page.evaluate(THIN)
    first = not counted  # side bars are the same on all pages but for their links
    counted[:] = page.evaluate(MARK, counted)
    wrong = violations(page, RULES)
    page.set_viewport_size({"width": 1280, "height": 900})
    page.emulate_media(color_scheme="dark")
    page.evaluate(DARK)
    return wrong + violations(page, RULES if first else OF_SIZE_AND_COLOR)


@pytest.mark.parametrize("half", [0, 1])
def test_axe_finds_nothing_under_the_policy(built_book: Path, address: str, open_page: OpenPage, half: int) -> None:
    """Checks every second page, with its widgets."""
    found = {}
    counted: Counted = []
    watched = open_page("about:blank")
    for name in names(built_book)[half::2]:
        watched.complaints.clear()
        watched.page.set_viewport_size({"width": 360, "height": 900})
        watched.page.emulate_media(color_scheme="light")
        watched.page.goto(f"{address}/{name}")
        expected = (built_book / name).read_text(encoding="utf-8").count("data-attnbook-state>")
        until(watched.page, f"document.querySelectorAll('[data-attnbook-mounted=yes]').length === {expected}")
        wrong = on_a_phone_and_a_desk(watched.page, counted=counted) + watched.complaints + watched.outside
        if wrong:
            found[name] = wrong
    assert found == {}


PLANTED = """() => {
  const article = document.querySelector("article");
  const plant = (tag, style, text = "") => {
    const element = article.appendChild(document.createElement(tag));
    element.textContent = text;
    element.style.cssText = style; // a style that is written into the page the policy refuses
    return element;
  };
  plant("p", "color: #bbb; background: #fff", "faint on white");
  const inside = plant("div", "").attachShadow({ mode: "open" }).appendChild(document.createElement("p"));
  inside.textContent = "faint in a widget";
  inside.style.cssText = "color: #bbb; background: #fff";
  plant("p", "color: #444; background: #000", "faint on black");
  plant("img", "");
  for (const text of ["", "one", "two"]) plant("button", "width: 9px; padding: 0", text);
}"""


def test_axe_finds_planted_faults(address: str, open_page: OpenPage) -> None:
    page = open_page(f"{address}/genindex.html", width=360, color_scheme="light").page
    page.evaluate(PLANTED)
    found = on_a_phone_and_a_desk(page, counted=[("", 0)])
    assert {told.partition(":")[0] for told in found} >= {"color-contrast", "button-name", "image-alt", "target-size"}
    assert sum(told.startswith("color-contrast") for told in found) == 6  # all three, in both themes


def test_content_security_policy_is_strict(built_book: Path) -> None:
    headers = dict(configured_headers(built_book))
    rules = dict(rule.strip().partition(" ")[::2] for rule in headers["Content-Security-Policy"].split(";"))
    assert rules["default-src"] == "'none'" and rules["base-uri"] == "'none'"
    assert "unsafe" not in rules["script-src"] and "http" not in headers["Content-Security-Policy"]
    assert set(re.findall(r"[a-z-]+-src", " ".join(rules))) >= {"script-src", "style-src", "img-src", "connect-src"}


def test_content_security_policy_blocks_planted_script(
    built_book: Path, tmp_path: Path, serve: Callable[[Path], str], open_page: OpenPage
) -> None:
    (tmp_path / "index.html").write_text("<!doctype html><title>x</title><script>document.title = 'planted'</script>")
    (tmp_path / "_headers").symlink_to(built_book / "_headers")
    watched = open_page(f"{serve(tmp_path)}/index.html")
    assert watched.page.title() == "x" and "Content Security Policy" in watched.complaints[0]


def test_search_works_under_the_policy(address: str, open_page: OpenPage) -> None:
    watched = open_page(f"{address}/search.html?q=attention")
    watched.page.locator("#search-results li a").first.wait_for(timeout=10_000)
    watched.assert_quiet()


def test_unknown_address_shows_404_page(address: str) -> None:
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(f"{address}/no-such-page.html", timeout=10)
    assert caught.value.code == 404 and "No such page" in caught.value.read().decode()


def test_keyboard_reaches_every_control(built_book: Path, address: str, open_page: OpenPage) -> None:
    """Tab moves through all controls in the order of the page, with a visible focus."""
    page = open_page(f"{address}/book/intro.html").page
    wanted = page.evaluate(f"{ALL}.filter({OPERATED}).length")
    seen = set()
    for _ in range(wanted + 20):  # notes on links contain a link of their own
        page.keyboard.press("Tab")
        spot = page.evaluate(FOCUSED)
        if spot is None:
            break
        place, focus_is_seen, html = spot
        assert focus_is_seen, f"no focus is seen on {html}"
        seen.add(place)
    assert len(seen) >= wanted - 1


@pytest.fixture(scope="module")
def single(built_book: Path, keep_page: OpenPage) -> Watched:
    """The single page of the book, in dark mode."""
    return keep_page(built_book / "single.html", color_scheme="dark")


def test_single_page_has_every_chapter(built_book: Path, single: Watched) -> None:
    page = single.page
    titles = page.locator(".book-chapter h1").all_inner_texts()
    for path in sorted((built_book / "book").glob("*.html")):
        title = re.search(r"<h1>(.*?)<a class=\"headerlink", path.read_text(encoding="utf-8"), re.S)
        assert title and any(re.sub(r"<.*?>", "", title[1]).split("\n")[0].strip()[-20:] in found for found in titles)
    broken = page.evaluate(
        "[...document.querySelectorAll('a[href^=\"#\"]')].map(a => a.getAttribute('href').slice(1))"
        ".filter(id => id && !document.getElementById(decodeURIComponent(id)))"
    )
    assert broken == []
    twice = page.evaluate(
        "(() => { const s = new Set(); return [...document.querySelectorAll('[id]')].map(e => e.id)"
        ".filter(id => s.has(id) || !s.add(id)); })()"
    )
    assert twice == []
    contents = page.locator(".book-contents > ol > li")
    assert contents.count() == page.locator(".book-chapter").count() > 10
    missing = page.evaluate("[...document.images].filter(i => i.complete && !i.naturalWidth).map(i => i.src)")
    assert missing == []
    single.assert_quiet()


def test_single_page_follows_theme_and_prints_light(single: Watched) -> None:
    page = single.page
    theme = "document.documentElement.dataset.theme"
    assert page.evaluate(theme) == "dark"
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate(theme) == "light"
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.evaluate(theme) == "dark"


def test_print_shows_the_text_alone(built_book: Path, open_page: OpenPage) -> None:
    page = open_page(built_book / "book" / "02-nadaraya-watson.html").page
    page.emulate_media(media="print")
    for hidden in (".bd-sidebar-primary", ".bd-header-article", ".prev-next-footer", ".headerlink"):
        assert not page.locator(hidden).first.is_visible(), hidden
    assert page.locator(".solution").first.locator("p").nth(1).is_visible(), "solutions stay closed on paper"
    assert page.evaluate("document.querySelector('article').getBoundingClientRect().width") > 1000


def test_pages_have_metadata_for_other_programs(built_book: Path, open_page: OpenPage) -> None:
    page = open_page(built_book / "book" / "02-nadaraya-watson.html").page
    content = "name => document.querySelector(`meta[name='${name}'], meta[property='${name}']`)?.content"
    assert page.evaluate(content, "og:title").endswith("Kernel regression: attention in one dimension")
    assert len(page.evaluate(content, "description")) > 40
    assert page.evaluate(content, "og:description") == page.evaluate(content, "description")
    assert page.locator("link[rel=icon]").count() == 1
