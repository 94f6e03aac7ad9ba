"""Every recorded answer of the reference against the airline and retail environments."""

import gzip
import json
from pathlib import Path

import pytest

from review_app.core import conformance
from review_app.core.envs import environment_class, open_environment
from review_app.core.locale.pack import parse_pack

LOCALES = Path(__file__).resolve().parents[2] / "data" / "locales" / "en"
COUNTS = {
    "airline": {"meta": 1, "replay": 50, "call": 654, "sequence": 2, "score": 80},
    "retail": {"meta": 1, "replay": 114, "call": 705, "sequence": 3, "score": 99},
}


def database(folder):
    packed = folder / "db.json.gz"
    if packed.exists():
        return json.loads(gzip.decompress(packed.read_bytes()))
    return json.loads((folder / "db.json").read_text("utf-8"))


@pytest.mark.parametrize("domain", COUNTS)
def test_every_record_agrees(domain, shared, capsys):
    pack = parse_pack({"pack.toml": (LOCALES / f"{domain}.toml").read_text("utf-8")})
    state = environment_class(domain).load(database(shared / "tau2" / "domains" / domain), pack)
    with (shared / "conformance" / f"{domain}.jsonl").open(encoding="utf-8") as lines:
        report = conformance.run(
            map(json.loads, lines), {domain: lambda: open_environment(domain, state, pack)}
        )
    with capsys.disabled():
        print(f"\n{domain}: {sum(report.agreeing.values())} records agree", end=" ")
    assert report.ok, "\n".join(each.line() for each in report.first)
    assert report.agreeing == COUNTS[domain]
    assert report.skipped == {}
