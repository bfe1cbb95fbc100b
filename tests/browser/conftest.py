"""Chromium without network, which records requests and errors of each page."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlparse

import pytest
from playwright.sync_api import Browser, Page, Request, expect, sync_playwright

from bookkit.chromium import MISSING, find
from bookkit.serve_book import open_server
from tests.browser.attention_samples import Sample, sample
from tests.browser.translators import write_pages
from tests.browser.widgets import reset, stand, write

expect.set_options(timeout=20_000)  # milliseconds; long, because a busy machine is not a fault of the page

# Chromium reads only the last such list, so Playwright's own is repeated. The others are pop-ups of an address bar that
# a test never sees, and a process in reserve for the next page: they cost three processes and half a second of
# computing per window.
DISABLED = (
    "AvoidUnnecessaryBeforeUnloadCheckSync DestroyProfileOnBrowserClose HttpsUpgrades HttpsFirstBalancedModeAutoEnable "
    "LensOverlay MediaRouter PaintHolding ThirdPartyStoragePartitioning AvoidCorsURLLoaderRestartOnRedirect "
    "OptimizationHints NetworkTimeServiceQuerying AimEnabled PreconnectToSearch "
    "WebUIOmniboxPopup WebUIOmniboxAimPopup WebUIOmniboxFullPopup SpareRendererForSitePerProcess"
)
ARGUMENTS = [
    f"--disable-features={','.join(DISABLED.split())}",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]


@dataclass
class Watched:
    """A page with its external requests, and the warnings and errors in its console."""

    page: Page
    outside: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    loaded: list[str] = field(default_factory=list)

    def assert_quiet(self) -> None:
        assert self.outside == [], "the page asked another host"
        assert self.complaints == [], "the console has errors or warnings"


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """A browser without network."""
    path = find()
    if path is None:
        pytest.fail(MISSING)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()


def opener(chromium: Browser, contexts: ExitStack) -> Callable[..., Watched]:
    """``open_page(url, width=..., **context)``: a watched page; requests to other hosts are blocked and recorded."""

    def open_(url: str | Path, *, width: int = 1280, height: int = 900, **options: Any) -> Watched:
        context = chromium.new_context(viewport={"width": width, "height": height}, **options)
        contexts.callback(context.close)
        watched = Watched(context.new_page())

        def note(request: Request) -> None:
            parts = urlparse(request.url)
            inside = parts.scheme in ("file", "data", "blob", "about") or parts.hostname == "127.0.0.1"
            (watched.loaded if inside else watched.outside).append(request.url)

        def complain(message: Any) -> None:
            if message.type in ("error", "warning"):
                watched.complaints.append(message.text)

        watched.page.on("request", note)
        watched.page.on("console", complain)
        watched.page.on("pageerror", lambda error: watched.complaints.append(str(error)))
        watched.page.goto(url.as_uri() if isinstance(url, Path) else url)
        return watched

    return open_


@pytest.fixture
def open_page(chromium: Browser) -> Iterator[Callable[..., Watched]]:
    """Open pages that are closed after the test, see `opener`."""
    with ExitStack() as contexts:
        yield opener(chromium, contexts)


@pytest.fixture(scope="module")
def keep_page(chromium: Browser) -> Iterator[Callable[..., Watched]]:
    """Open pages that all tests of a module share, see `opener`."""
    with ExitStack() as contexts:
        yield opener(chromium, contexts)


@pytest.fixture(scope="session")
def serve() -> Iterator[Callable[[Path], str]]:
    """``serve(folder)``: the address of a server of that folder, on a free port of this machine."""
    with ExitStack() as servers:

        def start(folder: Path) -> str:
            server = servers.enter_context(open_server(folder, 0))
            threading.Thread(target=server.serve_forever, daemon=True).start()
            servers.callback(server.shutdown)
            return f"http://127.0.0.1:{server.server_port}"

        yield start


@pytest.fixture(scope="module")
def watched(widget: Any, keep_page: Callable[..., Watched], tmp_path_factory: pytest.TempPathFactory) -> Watched:
    """A page with only the module's ``widget``."""
    return stand(keep_page, write(widget, tmp_path_factory.mktemp("widget")))


@pytest.fixture
def page(watched: Watched) -> Iterator[Page]:
    """The same page, with its widget reset."""
    yield reset(watched.page)
    watched.assert_quiet()


@pytest.fixture(scope="module")
def known() -> Sample:
    """An attention view with known weights."""
    return sample()


@pytest.fixture(scope="module")
def path(known: Sample, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a page with that view alone."""
    return known.write(tmp_path_factory.mktemp("view"))


@pytest.fixture(scope="session")
def translators(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the translator's pages."""
    return write_pages(tmp_path_factory.mktemp("translators"))


@pytest.fixture
def translator(open_page: Callable[..., Watched], translators: Path) -> Iterator[Watched]:
    """A page with the recurrent translator."""
    watched: Watched = stand(open_page, translators / "index.html", reduced_motion="reduce")
    yield watched
    watched.assert_quiet()
