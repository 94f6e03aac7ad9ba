"""Payments that the instructions do not determine, or that are not the user's."""

from __future__ import annotations

from collections.abc import Iterator

from review_app.core.validity.asked.sentences import is_conditional
from review_app.core.validity.choices import Direction, PaymentChoice, owner_of, undetermined
from review_app.core.validity.context import GoldStep, TaskContext
from review_app.core.validity.registry import RuleFault, all_of, any_of, rule
from review_app.core.validity.texts import WordSearch, look_for
from review_app.json_types import JsonPath

_NOT_NEEDED, _MISTAKE = _REASONS = ("no longer needed", "ordered by mistake")


@rule("PAY-01", "error", "nothing says to pay with {chosen}; {others} would do as well", version=2)
def payment_not_singled_out(ctx: TaskContext) -> Iterator[RuleFault]:
    """Several payment methods are eligible for a charge and the instructions name none of them.

    The agent has to pick one, so whether it agrees with the gold action is chance. Understood are
    ids, last digits, brands, the only one of its type, the smaller or larger balance, "the
    original payment method", "the other card".

    Flags: two credit cards, "you agree to the price that the agent names".
    Passes: "the card ending in 1234"; "by gift card" where the user has one; one eligible method.
    Precision: 1 of 1 on the real tasks.
    Source: section 3.1, footnote 7; Table 10, airline 29, 32, 44.
    """
    yield from _arbitrary(ctx, "charge")


@rule("PAY-02", "error", "nothing says to refund to {chosen}; {others} would do as well", version=2)
def refund_not_singled_out(ctx: TaskContext) -> Iterator[RuleFault]:
    """Several methods may receive a refund and the instructions name none of them.

    That a charge may go to the original method says nothing about a refund.

    Flags: two gift cards, a cheaper flight, nothing about where the money goes.
    Passes: "refund it to the original payment method".
    Precision: finds nothing in the real tasks.
    Source: Table 10, airline 32 and 33.
    """
    yield from _arbitrary(ctx, "refund")


@rule("PAY-05", "warning", "nothing says to keep to {chosen}; {others} would do as well", version=2)
def original_payment_assumed(ctx: TaskContext) -> Iterator[RuleFault]:
    """Several methods are eligible, the instructions name none, and the gold takes the original.

    Most agents will, too, but a user who is asked may name another.

    Flags: a return to the card that the order was paid with, the user also has a gift card.
    Passes: "refund to the original payment method"; a method that is named.
    Precision: 10 of 10 on the real tasks.
    Source: section 3.1, footnote 7; Table 10, airline 32, 33 and 44.
    """
    for choice in undetermined(ctx):
        if choice.chosen in choice.original and not choice.named:
            yield _fault(choice)


@rule("PAY-06", "error", "the instructions name {named}; the gold action takes {chosen}", version=2)
def another_method_named(ctx: TaskContext) -> Iterator[RuleFault]:
    """The instructions single out another eligible method than the gold action takes.

    Flags: "the card ending in 6617", charged to the one ending in 0472.
    Passes: the card that is named; a second one named for another case.
    Precision: finds nothing in the real tasks.
    Source: issue 5.
    """
    for choice in undetermined(ctx):
        if choice.named:
            yield RuleFault(choice.pointer, named=all_of(choice.named), chosen=choice.chosen)


@rule(
    "PAY-07",
    "error",
    "the user cancels because {said}; the gold action says {reason}",
    domains=["retail"],
    version=2,
)
def another_reason_named(ctx: TaskContext) -> Iterator[RuleFault]:
    """The instructions give the other reason for cancelling than the gold action.

    Flags: "you ordered by mistake", reason `no longer needed`.
    Passes: the reason that is given; both reasons given, for two orders.
    Precision: finds nothing in the real tasks.
    Source: retail policy, cancelling.
    """
    for cancellation, reason in _unsaid_reasons(ctx):
        said = next((other for other in _REASONS if other != reason and ctx.mentions(other)), None)
        if said:
            yield RuleFault(cancellation.argument("reason"), said=repr(said), reason=repr(reason))


@rule("PAY-03", "warning", "nothing says to cancel because {reason}", domains=["retail"], version=2)
def cancel_reason_not_singled_out(ctx: TaskContext) -> Iterator[RuleFault]:
    """The gold cancellation has one of two reasons and the instructions neither give nor imply one.

    Whoever found a better offer, ran out of money or is tired of waiting no longer needs the order;
    so does whoever states a motive that is no mistake.

    Flags: "just cancel the order so that you can order again", reason `no longer needed`.
    Passes: "you ordered by mistake" with that reason; "you found a better deal elsewhere".
    Precision: 2 of 2 on the real tasks.
    Source: Table 10, retail 38.
    """
    for cancellation, reason in _unsaid_reasons(ctx):
        if not any(ctx.mentions(known_reason) for known_reason in _REASONS):
            yield RuleFault(cancellation.argument("reason"), reason=repr(reason))


@rule(
    "PAY-08",
    "warning",
    "{sentence} hints at more than one reason to cancel; the gold action says {reason}",
    domains=["retail"],
)
def two_reasons_hinted(ctx: TaskContext) -> Iterator[RuleFault]:
    """What the instructions say of one cancellation fits both reasons that the policy accepts.

    Whether the agent passes on the one of the gold action is chance. Looked at are two sentences at
    a time, conditions left out.

    Flags: "cancel the order, which was a mistake; you do not need it any more".
    Passes: one reason; both reasons, for two orders that the gold cancels; one of them for the case
        that something is not to be had.
    Precision: finds nothing in the real tasks.
    Source: issue 11; retail policy, cancelling.
    """
    reasons = {_reason(ctx, write) for write in ctx.writes("cancel_pending_order")}
    if len(reasons) != 1:
        return
    topics = [_said_or_implied(ctx, reason) for reason in _REASONS]
    said = [text for text in ctx.sentences_at if not is_conditional(ctx, text.text)]
    for first, second in zip(said, [*said[1:], None], strict=True):
        texts = [first.text] if second is None else [first.text, second.text]
        if all(topic.first(" ".join(texts)) for topic in topics):
            yield RuleFault(first.pointer, sentence=repr(" ".join(texts)), reason=repr(*reasons))
            return


@rule("PAY-04", "error", "{method} is no payment method of {user}")
def payment_not_of_user(ctx: TaskContext) -> Iterator[RuleFault]:
    """A gold action pays with, or refunds to, what is not in the user's profile at that moment.

    Flags: another user's card; a certificate that an earlier booking used up.
    Passes: a method of the profile.
    Precision: finds nothing in the real tasks.
    Source: airline and retail policy, payment.
    """
    for write in ctx.writes():
        owner = owner_of(ctx, write)
        methods = (write.before("users", owner) or {}).get("payment_methods", {}) if owner else {}
        for pointer, chosen in _chosen(write):
            if owner and chosen not in methods:
                yield RuleFault(pointer, method=repr(chosen), user=owner)


def _arbitrary(ctx: TaskContext, direction: Direction) -> Iterator[RuleFault]:
    for choice in undetermined(ctx):
        is_arbitrary = choice.chosen not in choice.original and not choice.named
        if choice.direction == direction and is_arbitrary:
            yield _fault(choice)


def _unsaid_reasons(ctx: TaskContext) -> Iterator[tuple[GoldStep, str]]:
    """Gold cancellations whose reason, in source words, is neither given nor implied."""
    for write in ctx.writes("cancel_pending_order"):
        reason = _reason(ctx, write)
        if _said_or_implied(ctx, reason).first(ctx.said):
            continue
        if reason == _NOT_NEEDED and any(_gives_motive(ctx, text) for text in ctx.sentences):
            continue
        yield write, reason


def _gives_motive(ctx: TaskContext, sentence: str) -> bool:
    """Whether a sentence says why something is cancelled, and not that it was a mistake."""
    words = ctx.facts.profile.words
    cancels, because = (look_for(words.get(topic, ())) for topic in ("cancel", "because"))
    mistaken = _said_or_implied(ctx, _MISTAKE)
    return bool(
        cancels.first(sentence) and because.first(sentence) and not mistaken.first(sentence)
    )


def _reason(ctx: TaskContext, cancellation: GoldStep) -> str:
    """Why a gold action cancels, in source words."""
    return ctx.facts.source_word("cancel_reason", cancellation.arguments.get("reason"))


def _said_or_implied(ctx: TaskContext, reason: str) -> WordSearch:
    """What finds the words for a reason, and those that say as much."""
    words = ctx.facts.profile.words
    return look_for((*words.get(reason, ()), *words.get(f"implies {reason}", ())))


def _fault(choice: PaymentChoice) -> RuleFault:
    others = sorted(set(choice.eligible) - {choice.chosen})
    return RuleFault(choice.pointer, chosen=choice.chosen, others=any_of(others))


def _chosen(write: GoldStep) -> Iterator[tuple[JsonPath, str]]:
    for name in ("payment_id", "payment_method_id"):
        if isinstance(write.arguments.get(name), str):
            yield write.argument(name), write.arguments[name]
    listed = write.arguments.get("payment_methods")
    for at, payment in enumerate(listed if isinstance(listed, list) else ()):
        chosen = payment.get("payment_id") if isinstance(payment, dict) else None
        if isinstance(chosen, str):
            yield (*write.argument("payment_methods"), at, "payment_id"), chosen
