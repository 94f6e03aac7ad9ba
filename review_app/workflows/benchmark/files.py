"""Benchmark files from disk: found, bounded, decoded, checked. Nothing here writes."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from review_app.config import MAX_FILE_BYTES, data_text
from review_app.core import formats
from review_app.errors import BadInput
from review_app.models import KINDS
from review_app.notices import Notice

SHARED_GUIDES = "user_simulator"
"""The domain name under which the user simulator's guidelines are imported."""

NO_FOLDER = Notice("benchmark.no_folder", "is not a folder")

PACKAGE = "tau2"
"""The benchmark's Python package, below `src/` of a checkout; an installed one is a source, too."""

SUFFIXES = (".json", ".toml", ".md", ".json.gz")


@dataclass(frozen=True, slots=True)
class SourceFolder:
    """The files of one domain.

    Attributes:
        path: The folder they were found in.
        files: Name to decoded text, newlines untouched, in reading order.
        notes: What of a checkout's Python sources was not understood.
    """

    path: Path
    files: dict[str, str] = field(default_factory=dict)
    notes: tuple[Notice, ...] = ()


@cache
def domain_fields(domain: str) -> formats.Fields:
    """Which database strings of a domain are text for people."""
    return formats.parse_fields(data_text("formats", "fields.toml"), domain)


def read_bytes(path: Path, root: Path) -> bytes:
    """One file as it is.

    Raises:
        BadInput: outside `root` (a link), larger than 64 MB, unreadable.
    """
    name = str(path)
    if not path.resolve().is_relative_to(root.resolve()):
        problem = Notice(
            "benchmark.outside",
            "points outside the source folder {root}: copy the file there",
            root=str(root),
        )
        raise BadInput(problem, name)
    try:
        size = path.stat().st_size
        if size > MAX_FILE_BYTES:
            raise _too_large(size, name)
        return path.read_bytes()
    except OSError as error:
        problem = Notice(
            "benchmark.unreadable", "cannot be read ({problem})", problem=error.strerror
        )
        raise BadInput(problem, name) from error


def read_text(path: Path, root: Path) -> str:
    """One file, decoded, newlines untouched.

    Raises:
        BadInput: as `read_bytes`; not UTF-8, broken gzip.
    """
    name, blob = str(path), read_bytes(path, root)
    if path.suffix == ".gz":
        blob = _unzip(blob, name)
    try:
        return blob.decode("utf-8")
    except UnicodeDecodeError as error:
        line = blob.count(b"\n", 0, error.start) + 1
        problem = Notice(
            "benchmark.not_utf8",
            "is not UTF-8 (byte 0x{byte:02x}): save it as UTF-8",
            byte=blob[error.start],
        )
        raise BadInput(problem, name, f"line {line}") from error


def _too_large(size: int, name: str) -> BadInput:
    problem = Notice(
        "benchmark.too_large",
        "has {size:.0f} MB, more than the {limit} MB a benchmark file may have: "
        "is it the right file?",
        size=size / 2**20,
        limit=MAX_FILE_BYTES // 2**20,
    )
    return BadInput(problem, name)


def _unzip(blob: bytes, name: str) -> bytes:
    unzip = zlib.decompressobj(wbits=31)
    try:
        plain = unzip.decompress(blob, MAX_FILE_BYTES + 1)
    except zlib.error as error:
        problem = Notice("benchmark.not_gzip", "is not a gzip file ({problem})", problem=str(error))
        raise BadInput(problem, name) from error
    if len(plain) > MAX_FILE_BYTES:
        raise _too_large(len(plain), name)
    if not unzip.eof:
        raise BadInput(Notice("benchmark.cut_off", "ends in the middle: copy it again"), name)
    return plain


def domain_place(domain: str) -> Path:
    """Where the benchmark keeps a domain's files, below `data/tau2`."""
    return Path(domain) if domain == SHARED_GUIDES else Path("domains") / domain


def domain_folder(source: Path, domain: str) -> tuple[Path, Path]:
    """The folder of a domain, and the root that its files must lie in.

    Args:
        source: A tau2-bench checkout, its `data/tau2`, or the domain's folder itself.
        domain: `airline`; `user_simulator` for the shared guidelines.
    """
    if not domain.replace("_", "").replace("-", "").isalnum():
        problem = Notice(
            "benchmark.domain_name",
            "{domain!r} is no domain name: letters, digits, - and _ only",
            domain=domain,
        )
        raise BadInput(problem)
    if not source.is_dir():
        raise BadInput(NO_FOLDER, str(source))
    inside = domain_place(domain)
    for folder in (source / "data" / "tau2" / inside, source / inside):
        if folder.is_dir():
            return folder, source
    has_domains = (source / "data" / "tau2").is_dir() or (source / "domains").is_dir()
    if not has_domains and (any(source.glob("*.md")) or (source / "tasks.json").exists()):
        return source, source
    problem = Notice(
        "benchmark.no_domain",
        "holds no domain {domain!r}: expected data/tau2/domains/{domain}, domains/{domain}, "
        "or the domain's own files",
        domain=domain,
    )
    raise BadInput(problem, str(source))


def guides_source(source: Path, domain: str) -> Path | None:
    """Where the user simulator's guidelines lie beside a domain; None without them.

    That is the same checkout or `data/tau2`, or the folder that holds `domains/<domain>`.
    """
    if domain == SHARED_GUIDES:
        return None
    folder, _ = domain_folder(source, domain)
    folder = folder.resolve()
    root = folder.parent.parent
    lies_beside = folder.parent.name == "domains" and any((root / SHARED_GUIDES).glob("*.md"))
    return root if lies_beside else None


def read_source(
    source: Path, domain: str, *, tools: Path | None = None, user_tools: Path | None = None
) -> SourceFolder:
    """The source files of a domain, every one checked.

    Tool texts come from `tools` if given, else from the folder's `tools.json`, else from the Python
    source of a checkout, read with `ast` and never run.

    Raises:
        BadInput: naming file and address.
    """
    folder, root = domain_folder(source, domain)
    outside = {"tools.json": tools, "user_tools.json": user_tools}
    paths = _paths(folder) | {name: path for name, path in outside.items() if path is not None}
    files = {
        name: read_text(path, path.parent if path in outside.values() else root)
        for name, path in paths.items()
    }
    notes: list[Notice] = []
    if domain != SHARED_GUIDES:
        files |= _tools_from_python(source, domain, files, notes.append)
        _require(folder, files, "policy.md", "main_policy.md")
        _require(folder, files, "tasks.json")
    for name, raw in files.items():
        with naming(paths.get(name, folder / name)):
            formats.check_source(name, raw, domain)
    in_order = {name: files[name] for name in sorted(files, key=_reading_order)}
    return SourceFolder(folder, in_order, tuple(notes))


def _reading_order(name: str) -> tuple[int, str]:
    kind = formats.file_kind(name)
    return (KINDS.index(kind) if kind in KINDS else len(KINDS), name)


def read_draft(draft: Path, source: SourceFolder, domain: str) -> SourceFolder:
    """The draft's files that the source has too, every one checked against it."""
    if not draft.is_dir():
        raise BadInput(NO_FOLDER, str(draft))
    paths = _paths(draft)
    files = {name: read_text(path, draft) for name, path in paths.items()}
    for name, raw in files.items():
        with naming(paths[name]):
            if name in source.files:
                formats.check_draft(name, source.files[name], raw, domain)
    if not set(files) & set(source.files):
        names = tuple(sorted(source.files))
        problem = Notice(
            "benchmark.other_draft", "holds none of the source's files ({files})", files=names
        )
        raise BadInput(problem, str(draft))
    return SourceFolder(draft, files)


def _paths(folder: Path) -> dict[str, Path]:
    """The benchmark files of a folder by name; a packed file goes by its unpacked name."""
    paths: dict[str, Path] = {}
    for path in top_files(folder):
        paths.setdefault(path.name.removesuffix(".gz"), path)
    return paths


def top_files(folder: Path) -> list[Path]:
    """The files of a folder that a domain's texts and data may stand in, by name."""
    return [
        path for path in sorted(folder.iterdir()) if path.is_file() and path.name.endswith(SUFFIXES)
    ]


def _tools_from_python(
    source: Path, domain: str, files: dict[str, str], tell: Callable[[Notice], None]
) -> dict[str, str]:
    """Tool and message texts of a checkout, as the JSON files the domain folder lacks."""
    texts: dict[str, str] = {}
    messages: dict[str, str] = {}
    package = source / "src" / PACKAGE
    if not package.is_dir():
        package = source

    def read_module(dotted: str) -> str | None:
        top, *parts = dotted.split(".")
        path = package.joinpath(*parts).with_suffix(".py")
        return read_text(path, source) if top == PACKAGE and parts and _is_file(path) else None

    for name in ("tools", "user_tools"):
        dotted, script = f"{PACKAGE}.domains.{domain}.{name}", f"{name}.py"
        text = read_module(dotted)
        if text is None:
            continue
        with naming(package / "domains" / domain / script):
            if f"{name}.json" not in files:
                tools = formats.python_tools(text, script, dotted, read_module, tell)
                texts[f"{name}.json"] = _dump(tools)
            messages |= formats.python_messages(text, script)
    if messages and "messages.json" not in files:
        texts["messages.json"] = _dump(messages)
    return texts


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a name that no disk can hold
        return False


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def _require(folder: Path, files: dict[str, str], *names: str) -> None:
    if not any(name in files for name in names):
        problem = Notice(
            "benchmark.file_missing", "has no {names: or }: a domain needs one", names=names
        )
        raise BadInput(problem, str(folder))


@contextmanager
def naming(file: Path | str) -> Iterator[None]:
    """Let what is wrong with content be told of the file that a person knows."""
    try:
        yield
    except BadInput as error:
        raise BadInput(error.problem, str(file), error.address) from None
