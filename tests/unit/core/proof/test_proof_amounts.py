"""What a proof says of amounts."""

from __future__ import annotations

from decimal import Decimal

from localized_sample import words

from review_app.core.localize.stated_amounts import Contradiction
from review_app.core.proof.amounts import contradicting, unread


def test_an_amount_that_cannot_be_read_is_an_error_at_its_text():
    texts = [("text", "policy.md#a/1", "", "払うのは$1,5だけ"), ("task", "3", "x", "$5 or 5円")]
    (violation,) = unread(words().mentions, texts)
    assert (violation.code, violation.severity, violation.where) == ("LOC010", "error", "text")
    assert (violation.record, violation.values) == ("policy.md#a/1", {"found": "$1,5"})


def test_two_derivations_of_an_amount_are_an_error_of_the_task():
    two = Contradiction(
        source=Decimal("107.09"), target=Decimal(16063), derived=Decimal(16064), how="25181 - 9117"
    )
    violation = contradicting("95", two)
    assert (violation.code, violation.severity, violation.record) == ("LOC011", "error", "95")
    assert violation.message == "107.09 is 16063 here, and 16064 by 25181 - 9117"
