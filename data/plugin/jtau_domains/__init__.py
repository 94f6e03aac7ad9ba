"""Localized domains of tau2-bench, played with the benchmark's own code.

Two lines make them known to the benchmark::

    import jtau_domains
    jtau_domains.register()
"""

from __future__ import annotations


def register() -> list[str]:
    """Register all domains of the release with the installed tau2, once. Returns their names."""
    from jtau_domains import registration

    return registration.register()
