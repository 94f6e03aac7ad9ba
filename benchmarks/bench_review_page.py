"""Click to updated page: the Review page over 50,000 segments against a bare Streamlit page.

Both are measured in the same Chromium in turn, in one run; the bound is on the ratio of medians.
Needs chromium and playwright. Run: `python benchmarks/bench_review_page.py [--segments N]`.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
BOUND = 1.5
CLICKS = 40


def build(path: Path, wanted: int) -> int:
    """Import the benchmark's domains, again and again under other names, until there are enough."""
    from review_app.store import Store
    from review_app.workflows import project
    from review_app.workflows.review import checks, import_domain

    shared = ROOT.parent / "shared" / "tau2"
    source = shared if shared.is_dir() else ROOT / "data" / "sample" / "tau2"
    store = Store(path)
    for name in ("A", "B", "C"):
        project.add_person(store, name, "annotator")
    count, turn = 0, 0
    while count < wanted:
        for domain in ("airline", "retail", "telecom"):
            name = domain if turn == 0 else f"{domain}_{turn}"
            folder = _copy(source / "domains" / domain, path.parent / name)
            request = import_domain.ImportRequest(folder, name, draft=folder)
            report = import_domain.import_domain(store, request)
            shutil.rmtree(folder)
            count += sum(report.segments.values())
        turn += 1
    checks.refresh(store, "airline")
    checks.index_search(store)
    store.close()
    return count


def _copy(folder: Path, target: Path) -> Path:
    """The domain's files; the English texts serve as their own draft."""
    shutil.copytree(folder, target)
    for path in target.iterdir():
        path.chmod(0o644)
    return target


@contextmanager
def served(page: Path, db: Path) -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    words = [
        sys.executable,
        "-m",
        "streamlit",
        "run",
        str(page),
        f"--server.port={port}",
        "--server.headless=true",
    ]
    server = subprocess.Popen(
        words,
        cwd=ROOT,
        env=os.environ | {"JTAU_REVIEW_DB": str(db)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        url = f"http://127.0.0.1:{port}"
        for _ in range(200):
            try:
                urllib.request.urlopen(f"{url}/_stcore/health", timeout=1)
                break
            except OSError:
                time.sleep(0.1)
        yield url
    finally:
        server.terminate()
        server.wait(10)


WATCH = """(button) => new Promise((done) => {
  const app = document.querySelector("[data-testid=stApp]");
  const area = () => document.querySelector("textarea");
  const before = area().value, start = performance.now();
  let text = null, last = start, ran = false;
  const watcher = new MutationObserver(() => { last = performance.now(); });
  watcher.observe(document.body, {
    childList: true, subtree: true, characterData: true, attributes: true });
  const look = () => {
    const now = performance.now();
    const running = app.getAttribute("data-test-script-state") !== "notRunning";
    ran = ran || running || (text !== null && now - start > 400);
    const value = area()?.value;
    if (text === null && value && value !== before) text = now - start;
    if (text !== null && ran && !running && now - last > 150) {
      watcher.disconnect();
      done({ text: text, settled: last - start });
    } else if (now - start > 3000) done(null);
    else setTimeout(look, 4);
  };
  button.click();
  look();
})"""
"""Both pages have a text area that every click fills with another text, and a table of 20 rows.

`text`: until the next text stands in the text area. `settled`: until the script has run and the
last change of the page is made: the page is updated. Null where two texts in a row are the same.
"""


def clicker(page: Any, button: str) -> Callable[[], dict[str, float] | None]:
    """A function that clicks once and tells the milliseconds, as `WATCH` says."""

    def click() -> dict[str, float] | None:
        elapsed: dict[str, float] | None = page.locator(button).first.evaluate(WATCH)
        page.wait_for_timeout(250)
        return elapsed

    return click


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--segments", type=int, default=50_000)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as scratch:
        db = Path(scratch) / "review.db"
        count = build(db, arguments.segments)
        print(f"{count} segments", file=sys.stderr)
        with (
            served(ROOT / "benchmarks" / "bare_page.py", db) as bare,
            served(ROOT / "review_app" / "app.py", db) as app,
            sync_playwright() as playwright,
        ):
            browser = playwright.chromium.launch(
                executable_path=shutil.which("chromium"),
                args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
            )
            plain = browser.new_page(viewport={"width": 1280, "height": 860})
            plain.goto(bare)
            plain.wait_for_selector(".st-key-go button")
            review = browser.new_page(viewport={"width": 1280, "height": 860})
            review.goto(f"{app}/review?me=1&lang=en")
            review.wait_for_selector(".st-key-approve button")
            review.wait_for_timeout(3000)
            clicks = {
                "bare": clicker(plain, ".st-key-go button"),
                "next": clicker(review, ".st-key-next button"),
                "approve": clicker(review, ".st-key-approve button"),
            }
            times: dict[str, list[dict[str, float]]] = {name: [] for name in clicks}
            for turn in range(CLICKS + 5):
                for name, click in clicks.items():
                    (plain if name == "bare" else review).bring_to_front()
                    elapsed = click()
                    if turn >= 5 and elapsed:
                        times[name].append(elapsed)
            browser.close()
    return report(times, count)


def report(times: dict[str, list[dict[str, float]]], count: int) -> int:
    """Print medians and ratios; 1 if a page is settled later than the bound allows."""
    medians = {
        name: {what: statistics.median(one[what] for one in clicks) for what in ("text", "settled")}
        for name, clicks in times.items()
    }
    ratios = {
        name: {what: round(value / medians["bare"][what], 2) for what, value in found.items()}
        for name, found in medians.items()
        if name != "bare"
    }
    print(json.dumps({"segments": count, "median_ms": medians, "ratio": ratios}, indent=1))
    broken = [name for name, found in ratios.items() if found["settled"] > BOUND]
    print(f"over {BOUND}: {broken}" if broken else "within the bound", file=sys.stderr)
    return int(bool(broken))


if __name__ == "__main__":
    sys.exit(main())
