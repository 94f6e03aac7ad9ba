"""What the rules say of their precision, against the findings that people have judged."""

from __future__ import annotations

import precision
import pytest

from review_app.core.validity import ALL

JUDGED = precision.judgements()


@pytest.mark.parametrize("code", ALL)
def test_a_rule_states_its_precision_as_it_was_judged(code):
    lines = [line.strip() for line in ALL[code].documentation.splitlines()]
    assert precision.precision_of(code, JUDGED) in lines


def test_every_judgement_is_of_a_rule_and_says_why():
    for (domain, task, code, fault), judgement in JUDGED.items():
        assert domain in precision.DOMAINS
        assert task
        assert len(fault) == 12
        assert ALL[code].level in precision.LEAST
        assert judgement.verdict in ("true", "false", "mended")
        assert judgement.why


def test_noise_lowers_what_a_rule_may_say_of_itself():
    place = ("retail", "1", "GOLD-04", "0" * 12)
    noisy = JUDGED | {place: precision.Judgement("false", "a made up one")}
    assert precision.precision_of("GOLD-04", noisy) == "Precision: 3 of 4 on the real tasks."
    mended = JUDGED | {place: precision.Judgement("mended", "a made up one")}
    assert precision.precision_of("GOLD-04", mended) == "Precision: 3 of 3 on the real tasks."


def test_without_the_real_tasks_the_tool_says_that_it_skips(tmp_path, capsys):
    assert precision.main(tmp_path) == 0
    assert capsys.readouterr().out.startswith("skipped: no real tasks in ")
