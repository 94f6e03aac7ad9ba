"""The app as a process of its own, for tests that look at it through a browser."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


@contextmanager
def serving(database: Path, settings: Mapping[str, str]) -> Iterator[str]:
    """Serve the app on a database; gives its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "streamlit",
            "run",
            "review_app/app.py",
            f"--server.port={port}",
            "--server.headless=true",
        ],
        cwd=ROOT,
        env=os.environ | {"JTAU_REVIEW_DB": str(database)} | settings,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    url = f"http://127.0.0.1:{port}"
    for _ in range(300):
        try:
            urllib.request.urlopen(f"{url}/_stcore/health", timeout=1)
            break
        except OSError:
            time.sleep(0.1)
    try:
        yield url
    finally:
        server.terminate()
        server.wait(10)
