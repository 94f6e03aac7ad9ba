"""Localized domains of tau2-bench, played with the benchmark's own code.

Two lines make them known to the benchmark::

    import jtau_domains
    jtau_domains.register()
"""

from jtau_domains.registration import register

__all__ = ["register"]
