"""Numbers of the overview: how often terms are used."""

from __future__ import annotations

from review_app.models import Term
from review_app.workflows.review import import_domain, overview


def test_a_term_is_used_by_the_source_texts_of_its_domain(imported, tiny, sample):
    tiny.change("policy.md", "A refund takes 5", "A refund of a refund takes 5")
    import_domain.import_domain(imported, tiny.request())
    request = import_domain.ImportRequest(sample / "tau2", "user_simulator")
    import_domain.import_domain(imported, request)
    texts = [(text.domain, text.source.casefold()) for text in imported.segments.all()]

    def holding(word, *domains):
        return sum(word in source for domain, source in texts if domain in domains)

    with imported.write("test"):
        imported.terms.add(
            [
                Term("Agent", "エージェント"),
                Term("Refund", "返金", domain="airline"),
                Term("Refund", "払い戻し", domain="user_simulator"),
                Term("window seat", "窓側の席", variants=("seat by the window",)),
                Term("Refund", "リファンド", mode="forbidden", domain="airline"),
                Term("Agent", "代理人", mode="forbidden"),
                Term("Agent", "仲介人", mode="forbidden", domain="airline"),
                Term("submarine", "潜水艦"),
            ]
        )
    used = overview.term_use(imported)
    counts = {(term.source, term.target): used.get(term.id, 0) for term in imported.terms.all()}
    agents, own = holding("agent", "airline", "user_simulator"), holding("agent", "airline")
    assert agents > own > 1 and holding("refund", "airline") == 4
    assert counts[("Agent", "エージェント")] == agents
    assert counts[("Refund", "返金")] == 4
    assert counts[("Refund", "払い戻し")] == 0 == holding("refund", "user_simulator")
    assert counts[("window seat", "窓側の席")] == 1
    assert counts[("Refund", "リファンド")] == 4
    assert counts[("Agent", "代理人")] == agents
    assert counts[("Agent", "仲介人")] == own
    assert counts[("submarine", "潜水艦")] == 0
