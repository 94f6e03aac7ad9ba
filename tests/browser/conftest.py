"""A real Chromium against the real app on a fresh copy of the sample project."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest
from app_server import serving
from model_server import ModelServer, refuses

from review_app.store import Store
from review_app.workflows import project

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"]
WAIT_MS = 20_000
MODEL_KEY = "sk-nobody-may-see-this-0123456789"


def pytest_collection_modifyitems(items):
    for item in items:
        if "browser" in Path(item.fspath).parts:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def sample_db(tmp_path_factory):
    path = tmp_path_factory.mktemp("sample") / "sample.db"
    store = Store(path)
    project.load_sample(store)
    store.close()
    return path


def _require_chromium():
    if CHROMIUM is None:
        pytest.skip("no chromium on this machine: apt-get install chromium fonts-noto-cjk")


# For one module: Playwright holds the event loop of the process, which other tests need.
@pytest.fixture(scope="module")
def chromium():
    _require_chromium()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def model():
    """A model server that tests tell what to answer: `model.answer = ...`."""
    with ModelServer(lambda _: refuses(503)) as server:
        yield server


@pytest.fixture(scope="session")
def served(sample_db, model, tmp_path_factory):
    """The app's address and its database, started once."""
    _require_chromium()
    path = tmp_path_factory.mktemp("served") / "review.db"
    shutil.copy(sample_db, path)
    settings = {
        "JTAU_TRANSLATE_MODEL": "openai/test",
        "JTAU_TRANSLATE_API_BASE": model.url,
        "JTAU_TRANSLATE_API_KEY": MODEL_KEY,
    }
    with serving(path, settings) as url:
        yield url, path


@dataclass
class Desk:
    """One person's browser tab."""

    page: object
    url: str
    me: int

    def open(self, path="review", **query):
        words = "&".join(f"{k}={v}" for k, v in {"me": self.me, "lang": "en", **query}.items())
        self.page.goto(f"{self.url}/{path}?{words}")
        self.page.wait_for_selector("[data-testid=stMainBlockContainer] .jt-title", timeout=WAIT_MS)
        return self

    def review(self, segment):
        self.open("review", segment=segment)
        self.ready()
        return self

    def ready(self):
        self.page.wait_for_selector(".st-key-approve button", timeout=WAIT_MS)
        self.quiet()

    def quiet(self):
        """Wait until no script run is going on any more."""
        self.page.wait_for_function(
            "() => document.querySelector('[data-testid=stApp]')"
            "?.getAttribute('data-test-script-state') === 'notRunning'",
            timeout=WAIT_MS,
        )
        self.page.wait_for_timeout(250)

    @property
    def address(self):
        return self.page.locator(".jt-crumbs .jt-mono").first.inner_text()

    @property
    def crumbs(self):
        return self.page.locator(".jt-crumbs").first.inner_text()

    @property
    def box(self):
        return self.page.locator("[class*=st-key-text-] textarea").first

    def has_text(self, words):
        """Wait until the editor holds these words."""
        self.page.wait_for_function(
            "words => document.querySelector('[class*=st-key-text-] textarea')"
            "?.value.includes(words)",
            arg=words,
            timeout=WAIT_MS,
        )

    def click(self, key):
        """Click a button and wait for the page to settle."""
        self.page.locator(f".st-key-{key} button").first.click()
        self.page.wait_for_timeout(150)
        self.quiet()

    def moves(self, act):
        """Do something that brings another segment onto the desk."""
        before = self.address
        act()
        self.page.wait_for_function(
            "old => document.querySelector('.jt-crumbs .jt-mono')?.innerText !== old",
            arg=before,
            timeout=WAIT_MS,
        )
        self.quiet()

    def notices(self):
        return " ".join(self.page.locator("[data-testid=stAlert]").all_inner_texts())


@pytest.fixture
def desk(served, chromium):
    """Open a browser tab as one of the sample's people, by number."""
    contexts = []

    def open_as(me):
        context = chromium.new_context(viewport={"width": 1280, "height": 860}, locale="en-US")
        contexts.append(context)
        return Desk(context.new_page(), served[0], me)

    yield open_as
    for context in contexts:
        context.close()


@pytest.fixture
def store(served):
    opened = Store(served[1])
    yield opened
    opened.close()
