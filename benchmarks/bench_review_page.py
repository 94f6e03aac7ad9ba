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
    from review_app.workflows import administering, checking, importing

    shared = ROOT.parent / "shared" / "tau2"
    source = shared if shared.is_dir() else ROOT / "data" / "sample" / "tau2"
    store = Store(path)
    for name in ("A", "B", "C"):
        administering.add_person(store, name, "annotator")
    count, turn = 0, 0
    while count < wanted:
        for domain in ("airline", "retail", "telecom"):
            name = domain if turn == 0 else f"{domain}_{turn}"
            folder = _copy(source / "domains" / domain, path.parent / name)
            request = importing.ImportRequest(folder, name, draft=folder)
            report = importing.import_domain(store, request)
            shutil.rmtree(folder)
            count += sum(report.segments.values())
        turn += 1
    checking.refresh(store, "airline")
    checking.index_search(store)
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
    words = [sys.executable, "-m", "streamlit", "run", str(page), f"--server.port={port}"]
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
  const area = () => document.querySelector(SELECTOR);
  const before = area().value, start = performance.now();
  const look = () => {
    const now = area();
    if (now && now.value && now.value !== before) done(performance.now() - start);
    else requestAnimationFrame(look);
  };
  button.click();
  look();
})"""


def clicker(page: Any, button: str, area: str) -> Callable[[], float]:
    """A function that clicks once and tells how many ms passed until the next text is there.

    Both pages have a text area that every click fills with another text; it comes in the middle of
    the page, with the table drawn after it.
    """
    script = WATCH.replace("SELECTOR", json.dumps(area))

    def click() -> float:
        elapsed = float(page.locator(button).first.evaluate(script))
        page.wait_for_timeout(400)
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
                "bare": clicker(plain, ".st-key-go button", "textarea"),
                "next": clicker(review, ".st-key-next button", "textarea"),
                "approve": clicker(review, ".st-key-approve button", "textarea"),
            }
            times: dict[str, list[float]] = {name: [] for name in clicks}
            for turn in range(CLICKS + 5):
                for name, click in clicks.items():
                    (plain if name == "bare" else review).bring_to_front()
                    elapsed = click()
                    if turn >= 5:
                        times[name].append(elapsed)
            browser.close()
    medians = {name: statistics.median(values) for name, values in times.items()}
    result = {name: round(value, 1) for name, value in medians.items()}
    result |= {
        f"{name}_ratio": round(medians[name] / medians["bare"], 2) for name in ("next", "approve")
    }
    print(json.dumps(result | {"segments": count}))
    broken = [name for name in ("next", "approve") if result[f"{name}_ratio"] > BOUND]
    print("within the bound" if not broken else f"over {BOUND}: {broken}", file=sys.stderr)
    return int(bool(broken))


if __name__ == "__main__":
    sys.exit(main())
