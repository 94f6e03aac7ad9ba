"""How the Environment page writes verdicts, sides and hostile text."""

from __future__ import annotations

from html import escape

from review_app.ui.shared.i18n import text


def verdict(ok: bool) -> str:
    """Whether a call went through, as colour and word."""
    look, word = ("approved", "ok") if ok else ("error", "refused")
    return f"<span class='jt-state jt-{look}'>{text(f'environment.{word}')}</span>"


def side(requestor: object) -> str:
    """Who calls."""
    return text(f"environment.side.{'user' if requestor == 'user' else 'assistant'}")


def safe(content: str) -> str:
    """Any text as HTML; half a character, which no page can hold, as its escape."""
    return escape(content.encode("utf-8", "backslashreplace").decode())
