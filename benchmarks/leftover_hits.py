"""List everything of the source country that is still to be read in exported folders.

Run `python benchmarks/leftover_hits.py SOURCE EXPORT DOMAIN [DOMAIN ...]`: SOURCE is a checkout of
the benchmark, EXPORT a folder that `localize` wrote. It is of another kind than the proof and
imports nothing of it: its own gazetteer (`leftover_gazetteer.toml`), its own walk over every
string, and the given and family names of the source's own records. Every hit is printed with its
place; those that the gazetteer explains are counted by their reason. Exits 1 if one is not.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

GAZETTEER = Path(__file__).with_name("leftover_gazetteer.toml")
FIRST_NAMES, LAST_NAMES = ("first_name",), ("last_name",)
CLOCK = re.compile(
    r"(?<![\dA-Z])\d{1,2}(?::\d\d)? ?(?:[ap]\.?m\.?)? ?(?:[ecmp][sd]t|et|pt)\b", re.IGNORECASE
)


def folder_of(root: Path, domain: str) -> Path:
    """The folder of a domain in a checkout, an export, or the domain's folder itself."""
    for parent in (root, *root.glob("*/")):
        for place in (f"data/tau2/domains/{domain}", f"domains/{domain}"):
            if (parent / place).is_dir():
                return parent / place
    sys.exit(f"{root} has no domain {domain}")


def parsed(path: Path) -> Any:
    """A data file as plain data, another file as the list of its lines."""
    raw = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    text, name = raw.decode("utf-8"), path.name.removesuffix(".gz")
    if name.endswith(".json"):
        return json.loads(text)
    return tomllib.loads(text) if name.endswith(".toml") else text.split("\n")


def strings(value: Any, address: str = "") -> Iterator[tuple[str, str]]:
    """Yield address and text of every string, names of members included."""
    if isinstance(value, str):
        yield address, value
    elif isinstance(value, dict):
        for key, member in value.items():
            yield f"{address}/{key} (name)", str(key)
            yield from strings(member, f"{address}/{key}")
    elif isinstance(value, list):
        for at, member in enumerate(value):
            known = member.get("id") if isinstance(member, dict) else None
            yield from strings(member, f"{address}/{at if known is None else known}")


def names(value: Any, keys: tuple[str, ...]) -> Iterator[str]:
    """Yield what stands under these keys anywhere."""
    if isinstance(value, dict):
        for key, member in value.items():
            if key in keys and isinstance(member, str):
                yield member
            elif key == "full_name" and isinstance(member, str):
                yield member.split()[0 if keys is FIRST_NAMES else -1]
            else:
                yield from names(member, keys)
    elif isinstance(value, list):
        for member in value:
            yield from names(member, keys)


class Search:
    """Every pattern that says "of the source", with its kind."""

    def __init__(self, source: Path) -> None:
        words = tomllib.loads(GAZETTEER.read_text("utf-8"))
        given: set[str] = set()
        family: set[str] = set()
        zips: set[str] = set()
        for path in sorted(source.glob("*db.*")):
            tree = parsed(path)
            given |= set(names(tree, FIRST_NAMES))
            family |= set(names(tree, LAST_NAMES))
            zips |= {text for _, text in strings(tree) if re.fullmatch(r"\d{5}", text)}
        in_ids = {name.lower() for name in given}
        any_case, as_written = re.IGNORECASE, re.NOFLAG
        self.patterns = [
            (kind, re.compile(rf"(?<![A-Za-z0-9_]){choice(listed)}(?![A-Za-z0-9_])", flags))
            for kind, listed, flags in (
                ("state", words["states"].values(), any_case),
                ("state code", words["states"], as_written),
                ("state, colloquial", words["colloquial"], any_case),
                ("city", words["cities"], as_written),
                ("city, nickname", words["nicknames"], any_case),
                ("zone", words["zones"], as_written),
                ("zone, in words", words["zone_words"], any_case),
                ("given name", given, as_written),
                ("family name", family, as_written),
                ("name in an id", {n.lower() for n in given | family if len(n) > 3}, as_written),
                ("zip of a record", zips, as_written),
                ("country", words["countries"], as_written),
                ("currency", words["currency"], any_case),
            )
            if listed
        ]
        self.patterns += [
            ("five digits", re.compile(r"(?<![\w.,#-])\d{5}(?:-\d{4})?(?![\w,-]|\.\d)")),
            ("dollar sign", re.compile(r"\$|＄")),
            ("zone after a time", CLOCK),
            ("street", re.compile(rf"[A-Z][a-z]+ {choice(words['streets'])}(?![A-Za-z])")),
            ("id of a person", re.compile(rf"(?<![a-z]){choice(in_ids)}[._][a-z]+")),
        ]

    def hits(self, text: str) -> Iterator[tuple[str, str, int]]:
        """Yield kind, what is read, and where."""
        for kind, pattern in self.patterns:
            for match in pattern.finditer(text):
                yield kind, match[0], match.start()


def choice(words: Any) -> str:
    """A group of any of the words, the longest first."""
    return f"(?:{'|'.join(map(re.escape, sorted(words, key=lambda word: (-len(word), word))))})"


def explanation(rules: Any, kind: str, read: str, place: str, around: str) -> str:
    """Why a hit is nothing of the source, or empty."""
    for rule in rules:
        if (
            rule["kind"] == kind
            and rule.get("read", read) == read
            and re.search(rule.get("place", ""), place)
            and re.search(rule.get("text", ""), around)
        ):
            return str(rule["why"])
    return ""


def main() -> int:
    """Print every hit, then counts of what is explained."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("source", type=Path)
    parser.add_argument("export", type=Path)
    parser.add_argument("domains", nargs="+")
    arguments = parser.parse_args()
    explained: Counter[tuple[str, str, str, str]] = Counter()
    open_hits = scanned = 0
    rules = tomllib.loads(GAZETTEER.read_text("utf-8"))["explained"]
    for domain in arguments.domains:
        search = Search(folder_of(arguments.source, domain))
        export = folder_of(arguments.export, domain)
        for path in sorted(filter(Path.is_file, export.rglob("*"))):
            for address, text in strings(parsed(path)):
                scanned += 1
                for kind, read, at in search.hits(text):
                    around = re.sub(r"\s+", " ", text[max(0, at - 40) : at + len(read) + 40])
                    place = f"{path.name}{address}"
                    if why := explanation(rules, kind, read, place, around):
                        explained[domain, kind, read if kind != "five digits" else "", why] += 1
                    else:
                        open_hits += 1
                        print(f"{domain}\t{kind}\t{read}\t{place}\t{around}")
    for (domain, kind, read, why), count in sorted(explained.items()):
        print(f"explained: {domain} {count} x {kind} {read}: {why}")
    print(f"{scanned} strings, {open_hits} hits not explained, {explained.total()} explained")
    return int(open_hits > 0)


if __name__ == "__main__":
    sys.exit(main())
