"""A seeded sample of small changes to the code ("mutants"): the tests must notice nine in ten.

`make mutants` runs it; `make mutants ARGS="--seed 7 --sample 40 --paths review_app/core/tasks"`
another sample. It prints each survivor with its diff, then a summary as JSON. Exit codes: 0, 1 if
more than one in ten of the mutants that were run survive, 2 if a test fails without any mutant.

The packages are listed in pyproject.toml, `[tool.mutants]`. mutmut writes all mutants of a function
beside it and a switch that picks one; a first run of the tests notes which functions each of them
runs, and only tests that run a mutant's function judge it: what a fixture of many tests runs counts
for all of them, what a cache would hide is run again. Two processes fork a child for each mutant.

Left out, because no test could or should notice:

- other words in a raised error
- SQL, and names of columns (`row["name"]`), in another case: SQLite does not tell them apart
- another spelling of the name of an encoding
- the type given to `cast`, which does nothing at run time
- `strict` of `zip`: a guard against faults of our own, which no caller can trip
- functions that run only while modules are imported (registering a rule or a check)

Not mutated by mutmut: functions with a decorator (properties, context managers, rules, checks,
tools, commands), statements outside of functions, annotations, docstrings, other texts in triple
quotes (most of the longer SQL), f-strings but for the expressions in them.

A survivor is a place to look at, not always a fault: some mutants change nothing that can be seen.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import functools
import io
import json
import multiprocessing
import os
import random
import re
import shutil
import signal
import sys
import tempfile
import time
import tomllib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import libcst
import pytest
from mutmut.__main__ import create_mutants
from mutmut.configuration import config
from mutmut.mutation import trampoline
from mutmut.mutation.data import SourceFileMutationData
from mutmut.mutation.diff_apply import get_diff_for_mutant, read_functions_from_index
from mutmut.runners.harness import BadTestExecutionCommandsException, PytestRunner
from mutmut.state import state
from mutmut.utils.file_utils import copy_src_dir
from mutmut.utils.format_utils import mangled_name_from_mutant_name
from mutmut.workers.isolation import ForkServerRunner

ROOT = Path(__file__).resolve().parent.parent
COPIED = ("review_app", "tests", "data", "pyproject.toml", "README.md", "AGENTS.md", "exports")
WORKERS = 2
TEST_TIMEOUT_S = 30
"""For a single test, beside five times what it took without a mutant."""
MAX_SURVIVING = 0.1
CONTROL = "no mutant"
NO_JUDGES = (
    "tests/unit/test_notices.py",
    "tests/unit/cli/test_cli.py::"
    "test_status_imports_only_its_own_family_the_store_and_the_standard_library",
)
"""Tests of the source, which holds all mutants at once, and of what is imported: mutmut, too."""


class Unfit(Exception):
    """Nothing can be said about the mutants; the message says why."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """One small change to one function."""

    name: str
    """As mutmut calls it: module, function, number."""
    file: str
    package: str

    @property
    def function(self) -> str:
        return mangled_name_from_mutant_name(self.name)

    def diff(self) -> str:
        return get_diff_for_mutant(self.name, path=self.file)


@dataclass(frozen=True, slots=True)
class Observed:
    """What the tests run and how long they take, without any mutant."""

    tests: dict[str, set[str]]
    """The tests that run a function, by mutmut's name of the function."""
    at_import: set[str]
    """Functions that run while modules are imported."""
    seconds: dict[str, float]
    failures: list[str]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of one mutant."""

    mutant: str
    outcome: str
    tests: int
    test: str = ""
    """The test that noticed."""


# -- the mutants ------------------------------------------------------------------------------


def python_files(path: str) -> list[str]:
    """The Python files at a path of this checkout.

    Raises:
        Unfit: There are none: a package was renamed, and the configuration was not.
    """
    place = ROOT / path
    files = sorted(place.rglob("*.py")) if place.is_dir() else [place] * place.is_file()
    if not files:
        raise Unfit(f"no Python files at {path!r}: correct [tool.mutants] or --paths")
    return [str(file.relative_to(ROOT)) for file in files]


def prepare(folder: Path, files: Iterable[str], tests: list[str]) -> None:
    """Copy the checkout into an empty folder that we are in; write all mutants of some files."""
    for name in COPIED:
        if (ROOT / name).is_dir():
            skipped = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / name, folder / "mutants" / name, ignore=skipped)
        else:
            shutil.copy(ROOT / name, folder / "mutants" / name)
    shutil.move(folder / "mutants" / "review_app", folder / "review_app")
    config().only_mutate = sorted(files)
    config().track_dependencies = False
    config().pytest_add_cli_args_test_selection = tests
    config().pytest_add_cli_args = ["--hypothesis-profile=mutants", "-p", "no:cacheprovider"]
    config().pytest_add_cli_args += [f"--deselect={test}" for test in NO_JUDGES]
    with contextlib.redirect_stdout(io.StringIO()):
        copy_src_dir()
        create_mutants(WORKERS)
    # Only the mutated copy can be imported, here and in processes that tests start.
    hidden = {ROOT, ROOT / "tests"}
    mutated = str(folder / "mutants")
    sys.path[:] = [mutated] + [entry for entry in sys.path if Path(entry).resolve() not in hidden]
    os.environ["PYTHONPATH"] = mutated


def mutants_of(package: str, files: Iterable[str]) -> list[Mutant]:
    """All mutants that were written for some files."""
    mutants = []
    for file in files:
        data = SourceFileMutationData(path=file)
        data.load()
        mutants += [Mutant(name, file, package) for name in data.exit_code_by_key]
    return mutants


def draw(packages: dict[str, list[Mutant]], size: int, seed: int) -> list[Mutant]:
    """A sample in which each package has its share, without mutants that say nothing.

    The shares are rounded so that they add up; the order is random.
    """
    total = sum(map(len, packages.values()))
    size = min(size, total)
    exact = {name: size * len(mutants) / total for name, mutants in packages.items()}
    shares = {name: int(share) for name, share in exact.items()}
    by_remainder = sorted(exact, key=lambda name: (shares[name] - exact[name], name))
    for name in by_remainder[: size - sum(shares.values())]:
        shares[name] += 1
    chance = random.Random(seed)
    sample: list[Mutant] = []
    for name, mutants in sorted(packages.items()):
        telling = filter(tells, chance.sample(mutants, len(mutants)))
        sample += [mutant for _, mutant in zip(range(shares[name]), telling, strict=False)]
    chance.shuffle(sample)
    return sample


# -- mutants that no test could or should notice -----------------------------------------------

SQL = re.compile(r"\s*(SELECT|INSERT|UPDATE|DELETE|WITH|FROM|WHERE|AND|ORDER BY|JOIN)\b")
SQL_VALUE = re.compile(r"('[^']*')")


def tells(mutant: Mutant) -> bool:
    """Whether a mutant differs in more than what is left out (see the top of this file)."""
    functions = read_functions_from_index(mutant.name, mutant.file)
    if functions is None:
        return True
    original, changed = (ast.parse(libcst.Module([function]).code) for function in functions)
    sql = {_sql(text) for text in _texts(original) if SQL.match(text)}
    return ast.dump(_Wordless(sql).visit(original)) != ast.dump(_Wordless(sql).visit(changed))


def _texts(function: ast.AST) -> Iterator[str]:
    for node in ast.walk(function):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _sql(text: str) -> str:
    """SQL in small letters, but for the values in it."""
    parts = SQL_VALUE.split(text)
    return "".join(part if part.startswith("'") else part.casefold() for part in parts)


class _Wordless(ast.NodeTransformer):
    """A function without what is left out; `sql` are texts in it that are SQL."""

    def __init__(self, sql: Collection[str]) -> None:
        self._sql = sql

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        if isinstance(node.exc, ast.Call):
            node.exc.args = [arg for arg in node.exc.args if not _is_text(arg)]
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        called = node.func.attr if isinstance(node.func, ast.Attribute) else None
        called = node.func.id if isinstance(node.func, ast.Name) else called
        if called == "cast" and node.args:
            return self.visit(node.args[-1])
        if called == "zip":
            node.keywords = [word for word in node.keywords if word.arg != "strict"]
        encodings = [word.value for word in node.keywords if word.arg == "encoding"]
        if called in ("encode", "decode", "read_text"):
            encodings += node.args[:1]
        for value in encodings:
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                value.value = value.value.casefold()
        return self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        of_row = isinstance(node.value, ast.Name) and node.value.id == "row"
        if of_row and isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
            node.slice.value = node.slice.value.casefold()
        return self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if isinstance(node.value, str) and _sql(node.value) in self._sql:
            node.value = _sql(node.value)
        return node


def _is_text(node: ast.expr) -> bool:
    if isinstance(node, ast.BinOp):
        return _is_text(node.left) or _is_text(node.right)
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and (node.value is None or isinstance(node.value, str))
    )


# -- which tests run what ----------------------------------------------------------------------


class SameExamples:
    """A plugin of pytest: Hypothesis tries the same examples each time; none is made smaller."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_configure(self) -> None:
        from hypothesis import Phase, settings  # pytest has to see its first import

        phases = [Phase.explicit, Phase.generate]
        settings.register_profile(
            "mutants", derandomize=True, database=None, deadline=None, phases=phases
        )


class Runner(PytestRunner):
    def execute_pytest(self, params: list[str], plugins: Iterable[object] = ()) -> int:
        return super().execute_pytest(params, plugins=[SameExamples(), *plugins])


class FreshCaches:
    """A plugin of pytest: what an earlier test left in a cache is computed again."""

    def __init__(self) -> None:
        self._modules: set[str] = set()
        self._caches: list[functools._lru_cache_wrapper] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self) -> None:
        for name in sys.modules.keys() - self._modules:
            self._modules.add(name)
            if (getattr(sys.modules[name], "__file__", None) or "").startswith(os.getcwd()):
                values = vars(sys.modules[name]).values()
                self._caches += [v for v in values if isinstance(v, functools._lru_cache_wrapper)]
        for cache in self._caches:
            cache.cache_clear()


class Watcher(FreshCaches):
    """A plugin of pytest that notes which functions each test runs, its fixtures included."""

    def __init__(self) -> None:
        super().__init__()
        self.tests: defaultdict[str, set[str]] = defaultdict(set)
        self.at_import: set[str] = set()
        self.seconds: Counter[str] = Counter()
        self.failures: list[str] = []
        self._running = state()._stats
        self._shared: defaultdict[object, set[str]] = defaultdict(set)

    def pytest_collection_finish(self) -> None:
        self.at_import |= self._running
        self._running.clear()

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef) -> Iterator[None]:
        """What a fixture of several tests runs, it runs for all of them."""
        if fixturedef.scope == "function":
            return (yield)
        before = set(self._running)
        self._running.clear()
        try:
            return (yield)
        finally:
            self._shared[fixturedef] |= self._running
            self._running |= before

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_teardown(self, item: pytest.Function) -> Iterator[None]:
        yield
        for name in item.fixturenames:
            for fixture in item._fixtureinfo.name2fixturedefs.get(name, ()):
                self._running |= self._shared[fixture]
        for function in self._running:
            self.tests[function].add(item.nodeid)
        self._running.clear()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.seconds[report.nodeid] += report.duration
        if report.failed:
            self.failures.append(f"{report.nodeid}\n{report.longreprtext}")

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.failures.append(f"{report.nodeid}\n{report.longreprtext}")


def _watched(files: list[str]) -> Observed:
    # Not in the environment: processes that tests start run the unchanged functions.
    trampoline.set_mutant_under_test("stats")
    del os.environ["MUTANT_UNDER_TEST"]
    watcher = Watcher()
    os.chdir("mutants")
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        try:
            Runner().execute_pytest(["-q", *files], plugins=[watcher])
        except BadTestExecutionCommandsException:
            watcher.failures.append(output.getvalue())
    import review_app

    assert Path(review_app.__file__).is_relative_to(os.getcwd()), "the unchanged code was tested"
    return Observed(
        tests=dict(watcher.tests),
        at_import=watcher.at_import,
        seconds=dict(watcher.seconds),
        failures=watcher.failures,
    )


def observe(tests: list[str]) -> Observed:
    """Run all tests once, in two processes."""
    os.chdir("mutants")
    files = [str(file) for folder in tests for file in sorted(Path(folder).rglob("test_*.py"))]
    files.sort(key=lambda name: (-Path(name).stat().st_size, name))
    os.chdir("..")
    halves = [files[number::WORKERS] for number in range(WORKERS)]
    whole = Observed(tests={}, at_import=set(), seconds={}, failures=[])
    fork = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(WORKERS, mp_context=fork) as pool:
        for half in pool.map(_watched, halves):
            for function, running in half.tests.items():
                whole.tests.setdefault(function, set()).update(running)
            whole.at_import.update(half.at_import)
            whole.seconds.update(half.seconds)
            whole.failures.extend(half.failures)
    return whole


# -- the verdicts ------------------------------------------------------------------------------


class Selected(FreshCaches):
    """A plugin of pytest that runs some tests only, short files first, and keeps what failed."""

    def __init__(self, tests: Iterable[str], seconds: dict[str, float]) -> None:
        super().__init__()
        self.tests, self._seconds = set(tests), seconds
        self.outcome = "killed"
        self.failed = ""
        self._file_seconds: Counter[str] = Counter()
        for test in self.tests:
            self._file_seconds[test.partition("::")[0]] += seconds[test]

    @property
    def files(self) -> list[str]:
        return sorted(self._file_seconds, key=lambda file: (self._file_seconds[file], file))

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = [item for item in items if item.nodeid in self.tests]
        for item in items:
            item.add_marker(pytest.mark.timeout(TEST_TIMEOUT_S + 5 * self._seconds[item.nodeid]))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and not self.failed:
            self.outcome = "timed out" if "Timeout (>" in report.longreprtext else "killed"
            self.failed = report.nodeid


class Judge(Runner):
    """Runs the tests of one mutant in a child of its own and notes what failed."""

    def __init__(self, seconds: dict[str, float]) -> None:
        super().__init__()
        self._seconds = seconds

    def run_tests(self, *, mutant_name: str | None, tests: Iterable[str]) -> int:
        selected = Selected(tests, self._seconds)
        notes = _notes(str(mutant_name))
        os.chdir("mutants")
        code = self.execute_pytest(["-x", "-q", *selected.files], plugins=[selected])
        notes.write_text(json.dumps([selected.outcome, selected.failed]), encoding="utf-8")
        return code


def _notes(mutant: str) -> Path:
    return Path("verdicts", mutant).absolute()


def judge(sample: list[Mutant], observed: Observed, minutes: float) -> Iterator[Verdict]:
    """Run the tests of each mutant, and once all these tests without a mutant.

    Args:
        sample: The mutants, in the order in which they are run.
        observed: Which tests run what.
        minutes: No further mutant is begun after so long.

    Raises:
        Unfit: A test fails without a mutant where it passed before.
    """
    tests = {mutant.name: observed.tests.get(mutant.function, set()) for mutant in sample}
    tests = {CONTROL: set().union(*tests.values()), **tests}
    runner = ForkServerRunner(
        max_workers=WORKERS, test_runner_class=Judge, test_runner_args={"seconds": observed.seconds}
    )
    end = time.monotonic() + 60 * minutes
    _notes("").mkdir()
    runner.startup()
    try:
        for name, chosen in tests.items():
            while not runner.has_capacity():
                yield from _next_verdict(runner, tests)
            if not chosen:
                yield Verdict(name, "survived", tests=0)
            elif time.monotonic() < end:
                expected = sum(observed.seconds[test] for test in chosen)
                limit = int(
                    2 * (2 * TEST_TIMEOUT_S + 5 * expected)
                )  # mutmut halves it for the clock
                runner.submit(name, sorted(chosen), limit, expected)
            else:
                yield Verdict(name, "not run", tests=len(chosen))
        while runner.pending_count():
            yield from _next_verdict(runner, tests)
    finally:
        runner.stop_all_workers()
        runner.shutdown()


def _next_verdict(runner: ForkServerRunner, tests: dict[str, set[str]]) -> Iterator[Verdict]:
    result = runner.wait_for_result()
    name, code = result.mutant_name, result.exit_code
    if code in (5, 255):
        raise Unfit(f"pytest did not run the tests of {name}: it ended with {code}")
    outcome, failed = "survived" if code == 0 else "killed", ""
    if code in (-signal.SIGXCPU, -signal.SIGKILL):
        outcome = "timed out"
    elif code and _notes(name).exists():
        outcome, failed = json.loads(_notes(name).read_text(encoding="utf-8"))
    if name != CONTROL:
        yield Verdict(name, outcome, tests=len(tests[name]), test=failed)
    elif code:
        raise Unfit(f"without a mutant a test fails that passed before: {failed} ({outcome})")


# -- the command -------------------------------------------------------------------------------


def summary(
    sample: list[Mutant], packages: dict[str, list[Mutant]], verdicts: list[Verdict], seed: int
) -> dict[str, object]:
    """The figures of a run."""
    outcomes = {verdict.mutant: verdict.outcome for verdict in verdicts}
    counts = Counter(outcomes.values())
    run = counts["killed"] + counts["timed out"] + counts["survived"]
    survivors = Counter(m.package for m in sample if outcomes.get(m.name) == "survived")
    sizes = Counter(mutant.package for mutant in sample)
    by_package = {
        name: {"mutants": len(mutants), "sampled": sizes[name], "survived": survivors[name]}
        for name, mutants in sorted(packages.items())
    }
    return {
        "seed": seed,
        "sampled": len(sample),
        "killed": counts["killed"],
        "timed_out": counts["timed out"],
        "survived": counts["survived"],
        "not_run": counts["not run"],
        "survival_rate": round(counts["survived"] / run, 3) if run else 0.0,
        "packages": by_package,
    }


def arguments(given: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sample", type=int, default=200, metavar="N", help="how many mutants")
    parser.add_argument("--minutes", type=float, default=15, help="begin no mutant after so long")
    parser.add_argument("--paths", nargs="+", help="files or folders in place of all packages")
    return parser.parse_args(given)


def told(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def run(options: argparse.Namespace) -> int:
    with (ROOT / "pyproject.toml").open("rb") as file:
        configured = tomllib.load(file)["tool"]["mutants"]
    places = {path: [path] for path in options.paths or ()} or configured["packages"]
    files = {
        name: [file for path in paths for file in python_files(path)]
        for name, paths in places.items()
    }
    start = time.monotonic()
    prepare(Path.cwd(), {file for listed in files.values() for file in listed}, configured["tests"])
    told(f"{time.monotonic() - start:4.0f} s  mutants written; running all tests once")
    observed = observe(configured["tests"])
    if observed.failures:
        raise Unfit("tests fail without a mutant:\n\n" + "\n\n".join(observed.failures))
    told(f"{time.monotonic() - start:4.0f} s  {len(observed.seconds)} tests observed")
    packages = {
        name: [
            mutant
            for mutant in mutants_of(name, listed)
            if mutant.function in observed.tests or mutant.function not in observed.at_import
        ]
        for name, listed in files.items()
    }
    sample = draw(packages, options.sample, options.seed)
    by_name = {mutant.name: mutant for mutant in sample}
    verdicts = []
    for verdict in judge(sample, observed, options.minutes - (time.monotonic() - start) / 60):
        verdicts.append(verdict)
        spent, judged_by = time.monotonic() - start, f"({verdict.tests} tests) {verdict.test}"
        told(f"{spent:4.0f} s  {verdict.outcome}: {verdict.mutant} {judged_by}")
    for verdict in verdicts:
        if verdict.outcome == "survived":
            print(f"\n{verdict.mutant}: survived {verdict.tests} tests")
            print(by_name[verdict.mutant].diff())
    figures = summary(sample, packages, verdicts, options.seed)
    print("\n" + json.dumps(figures | {"minutes": round((time.monotonic() - start) / 60, 1)}))
    return int(figures["survival_rate"] > MAX_SURVIVING)


def main() -> int:
    options = arguments(sys.argv[1:])
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # end as with Ctrl-C, tidily
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        os.chdir(folder)
        try:
            return run(options)
        except Unfit as error:
            told(str(error))
            return 2
        except KeyboardInterrupt:
            return 130
        finally:
            os.chdir(ROOT)


if __name__ == "__main__":
    sys.exit(main())
