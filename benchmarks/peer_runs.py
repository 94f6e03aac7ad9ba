"""The benchmark's own command plays every gold action of the three real domains in Japanese.

Needs `make peer` and ../shared. Prints for each domain how many tasks end with reward 1, how many
requests were searched for English, and seconds; exits 1 if any task or request is amiss. With
`--calls` also every recorded call, answered through the benchmark's code and by our environments.
Run: `python benchmarks/peer_runs.py [--domain D]... [--calls]`; about 15 minutes on two cores.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(ROOT / "tests" / "peer")]

from peer_cases import ABSENT, checked, english_left, peer_python, played  # noqa: E402
from peer_snapshots import WITH_DRAFTS, lay_domains, real_project  # noqa: E402
from sample_project import DOMAINS  # noqa: E402
from test_plugin_real import compare_calls  # noqa: E402

from review_app.workflows.localization.derived_domain import Derived  # noqa: E402


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--domain", action="append", choices=DOMAINS)
    parser.add_argument("--calls", action="store_true")
    arguments = parser.parse_args()
    shared = ROOT.parent / "shared"
    if peer_python() is None or not shared.is_dir():
        print(ABSENT if shared.is_dir() else "no ../shared beside this checkout")
        return 2
    domains = arguments.domain or list(DOMAINS)
    report, amiss = {}, False
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        store = real_project(shared, folder)
        lay_domains(store, folder, domains)
        start = time.perf_counter()
        agreement = checked(folder)
        report["check"] = {
            "tasks": agreement["tasks"],
            "agree": agreement["agree"],
            "seconds": round(time.perf_counter() - start, 1),
        }
        amiss = bool(agreement["differences"])
        for domain in domains:
            name = f"{domain}_ja"
            file = folder / "data" / "tau2" / "domains" / name / "tasks.json"
            tasks = json.loads(file.read_text(encoding="utf-8"))
            start = time.perf_counter()
            results, requests = played(folder, name, tasks, folder)
            rewards = [run["reward_info"]["reward"] for run in results["simulations"]]
            asked = [request for request in requests if request["model"] != "judge"]
            english = list(english_left(folder, name, asked))
            report[domain] = {
                "tasks": len(tasks),
                "reward_1": rewards.count(1.0),
                "requests": len(asked),
                "english": english[:10],
                "seconds": round(time.perf_counter() - start, 1),
            }
            amiss |= rewards != [1.0] * len(tasks) or bool(english)
            if arguments.calls:
                with store.read():
                    derived = Derived(store, domain, WITH_DRAFTS)
                    compared, differences = compare_calls(derived, folder, shared, folder)
                report[domain] |= {"calls": compared, "calls_that_differ": differences[:10]}
                amiss |= bool(differences)
        store.close()
    print(json.dumps(report, ensure_ascii=False, indent=2))
    return int(amiss)


if __name__ == "__main__":
    sys.exit(main())
