"""Translation by a model that answers late, wrongly, twice or not at all.

Everything goes through litellm to a server on this machine.
"""

from __future__ import annotations

import json
import os
import signal
import time
from collections import Counter
from dataclasses import replace

import model_server as server
import pytest
from model_server import ModelServer, says
from tiny_benchmark import dump

from review_app import cli
from review_app.core.translation import request as translation_request
from review_app.llm import Endpoint, LlmError
from review_app.records.project import Pulse
from review_app.records.review import QueueFilter
from review_app.store import Store
from review_app.workflows.background import jobs
from review_app.workflows.background.reporter import Reporter
from review_app.workflows.localization import (
    prompts,
    translation,
    translation_plan,
    translation_report,
)
from review_app.workflows.review import answers, checks, import_domain

KEY = "sk-nobody-may-see-this-0123456789"
ANN = "You are Ann, user ann_lee_1234. Your order is #W1234567."
BOB = "You are Bob, user bob_kim_5678. Your order is #W7654321."
ANN_AT = "tasks.json#0/user_scenario/instructions/known_info"
BOB_AT = "tasks.json#1/user_scenario/instructions/known_info"
RULE = "policy.md#refunds/1"
FILES = ("policy.md", "tasks.json", "tools.json", "messages.json")


@pytest.fixture
def right(tiny, tmp_path, crew):
    """The right translation of every source text of the small domain, which gets identifiers."""
    for old, new, ours in (
        ("You are Ann.", ANN, "あなたはAnnです。"),
        ("You are Bob.", BOB, "あなたはBobです。"),
    ):
        tiny.change("tasks.json", old, new)
        ids = " ".join(word.strip(".,") for word in new.split() if "_" in word or "#" in word)
        tiny.change("tasks.json", ours, f"{ours}{ids}", draft=True)
    drafted = Store(tmp_path / "drafted.db")
    import_domain.import_domain(drafted, tiny.request())
    texts = {one.source: one.target for one in drafted.segments.all()}
    drafted.close()
    return texts


@pytest.fixture
def bare(store, tiny, right, crew):
    """The small domain without any translation."""
    import_domain.import_domain(store, tiny.request(draft=None))
    return store


ADAPTED = {"Each extra bag costs 7,500円.": "Each extra bag costs $50."}
"""What the command sends instead of a source text."""


def asked(payload):
    """Key and source of every text that a request asks for."""
    material = json.loads(payload["messages"][-1]["content"])
    items = [item for item in material["passage"] if "key" in item]
    return {item["key"]: ADAPTED.get(item["text"], item["text"]) for item in items}


def file_of(payload):
    return json.loads(payload["messages"][-1]["content"])["document"]


def as_json(texts):
    entries = [{"key": key, "text": text} for key, text in texts.items()]
    return json.dumps({"translations": entries}, ensure_ascii=False)


def translator(right):
    """A server that translates everything rightly."""
    return lambda payload: says(as_json({k: right[text] for k, text in asked(payload).items()}))


def first(fault, then, *, file="tasks.json"):
    """A server that has one fault, at the first request for a file."""
    seen = []

    def answer(payload):
        if file_of(payload) == file and not seen:
            seen.append(payload)
            return fault(payload)
        return then(payload)

    return answer


def order(where, **more):
    endpoint = Endpoint(
        "openai/test",
        where.url,
        KEY,
        timeout_s=2.0,
        deadline_s=3.0,
        attempts=more.pop("attempts", 3),
    )
    return translation_plan.TranslationOrder("airline", endpoint, **more)


def translate(store, where, reporter=None, **more):
    return translation.translate(store, order(where, **more), reporter or Reporter(Pulse()))


def targets(store):
    return {one.source: one.target for one in store.segments.all()}


def translated(store):
    return [one.source for one in store.segments.all() if one.target is not None]


def codes(store, address):
    segment = store.segments.at("airline", address)
    return {one.finding.code for one in store.findings.of(segment.id)}


def until(holds, seconds=90.0):
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


def answering(then, times):
    """A server that answers so many requests and lets the others wait for half a minute."""

    def answer(payload):
        answer.payloads.append(payload)
        reply = then(payload)
        return reply if len(answer.payloads) <= times else server.slow(reply, 30.0)

    answer.payloads = []
    return answer


@pytest.fixture
def run(bare, capsys, monkeypatch):
    """Runs `translate` against a server: exit code, standard output and standard error."""

    def command(where, *words):
        monkeypatch.setenv("JTAU_TRANSLATE_MODEL", "openai/test")
        monkeypatch.setenv("JTAU_API_BASE", where.url)
        monkeypatch.setenv("JTAU_API_KEY", KEY)
        code = cli.main(["translate", "--domain", "airline", "--db", str(bare.path), *words])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return command


# -- what comes of it --------------------------------------------------------------------------


def test_every_text_becomes_a_draft_and_a_second_run_calls_nobody(bare, right):
    with ModelServer(translator(right)) as model:
        report = translate(bare, model)
        assert (report.translated, report.done, report.texts) == (23, 23, 23)
        assert targets(bare) == right
        segments = list(bare.segments.all())
        assert {one.state for one in segments} == {"draft"}
        made = [bare.reviews.revisions(one.id) for one in segments]
        assert {(r.author_id, r.origin, r.version) for one in made for r in one} == {
            (None, "draft", 1)
        }
        assert report.calls == len(model.requests) == len(FILES)
        assert (report.spent.tokens_in, report.spent.cost_usd, report.spent.unpriced) == (
            28,
            None,
            4,
        )
        before = dump(bare.path)
        again = translate(bare, model)
        assert (again.texts, again.calls, len(model.requests)) == (0, 0, len(FILES))
        assert translate(bare, model, again=True).calls == 0
        assert dump(bare.path) == before
    assert checks.refresh(bare) == 0
    assert bare.problems() == []


def swapped(payload):
    texts = {k: right_now(text) for k, text in asked(payload).items()}
    ann, bob = (next(k for k, t in asked(payload).items() if t == one) for one in (ANN, BOB))
    return says(as_json(texts | {ann: texts[bob], bob: texts[ann]}))


RIGHT: dict[str, str] = {}


def right_now(text):
    return RIGHT[text]


def answered(change):
    """The right answer as text, changed."""

    def answer(payload):
        text = as_json({k: RIGHT[one] for k, one in asked(payload).items()})
        return change(text)

    return answer


FAULTS = {
    "429 with retry-after": (lambda _: server.refuses(429, retry_after="1"), 0),
    "500": (lambda _: server.refuses(500), 0),
    "a dropped connection": (lambda _: server.drops(), 0),
    "a connection that breaks off": (answered(lambda t: server.cut(says(t), 200)), 0),
    "a slow answer": (answered(lambda t: server.slow(says(t), 20.0)), 0),
    "a dripping answer": (answered(lambda t: server.dripping(says(t), 0.02)), 0),
    "an empty answer": (lambda _: says(""), 1),
    "no content": (lambda _: says(None), 1),
    "no choices": (lambda _: server.without_choices(), None),
    "truncated JSON": (answered(lambda t: says(t[: len(t) // 2], finish_reason="length")), 1),
    "JSON that breaks off": (answered(lambda t: says(t[:-30])), 1),
    "no JSON": (lambda _: says("Sorry, I cannot do that."), 1),
    "an altered identifier": (answered(lambda t: says(t.replace("#W1234567", "#W1234576"))), 1),
    "half a character": (
        answered(lambda t: server.raw(says(t).body.replace("手".encode(), b"\\ud83d"))),
        1,
    ),
    "a missing key": (answered(lambda t: says(t.replace('"k2"', '"k99"'))), 1),
    "an answer for the wrong segment": (swapped, 1),
    "an answer in English": (
        lambda p: says(as_json({k: t if len(t) > 20 else RIGHT[t] for k, t in asked(p).items()})),
        1,
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_the_right_text_comes_after(bare, right, fault):
    RIGHT.update(right)
    faulty, paid_in_vain = FAULTS[fault]
    with ModelServer(first(faulty, translator(right))) as model:
        report = translate(bare, model)
        assert targets(bare) == right
        assert (report.translated, report.left) == (23, {})
        if paid_in_vain is not None:
            assert report.calls == len(FILES) + paid_in_vain
            until(lambda: model.answered == report.calls)
        assert translate(bare, model).calls == 0
    assert checks.refresh(bare) == 0


def test_only_the_faulty_texts_are_asked_for_again_with_the_complaint(bare, right):
    RIGHT.update(right)
    faulty, _ = FAULTS["an altered identifier"]
    with ModelServer(first(faulty, translator(right))) as model:
        translate(bare, model)
        second = next(r for r in model.requests if "#W1234576" in str(r.payload))
    item = next(
        one
        for one in json.loads(second.payload["messages"][-1]["content"])["passage"]
        if "key" in one
    )
    assert item["text"] == ANN and "#W1234576" in item["previous"]
    assert "#W1234567 has become #W1234576" in item["faults"][0]


# -- what cannot be settled --------------------------------------------------------------------


def test_what_stays_wrong_is_left_as_a_flagged_draft(bare, right, crew):
    def stubborn(payload):
        texts = {k: right[text] for k, text in asked(payload).items()}
        return says(as_json(texts).replace("#W1234567", "#W1234576"))

    with ModelServer(stubborn) as model:
        report = translate(bare, model)
        assert (report.translated, report.flagged, report.missing) == (22, 1, 0)
        assert len(model.requests) == len(FILES) + translation.RETRIES
        assert translate(bare, model).calls == 0
        segment = bare.segments.at("airline", ANN_AT)
        assert segment.state == "draft" and "#W1234576" in segment.target
        assert codes(bare, ANN_AT) == {"TOK002", "TRN002"}
        checks.recheck(bare, [segment.id])
        assert codes(bare, ANN_AT) == {"TOK002", "TRN002"}
        answers.edit(bare, segment.id, crew.a, target=right[ANN], expected_version=1)
        checks.refresh(bare)
        assert codes(bare, ANN_AT) == set()
        assert translate(bare, model, again=True).texts == 0


def test_a_text_without_any_answer_is_found_until_a_person_writes_it(bare, right, crew):
    def silent(payload):
        texts = {k: right[text] for k, text in asked(payload).items() if text != ANN}
        return says(as_json(texts))

    with ModelServer(silent) as model:
        report = translate(bare, model)
        assert (report.translated, report.missing) == (22, 1)
        assert translate(bare, model).calls == 0
        segment = bare.segments.at("airline", ANN_AT)
        assert (segment.target, segment.state) == (None, "untranslated")
        listed = bare.queue.entries(QueueFilter(finding="TRN001"))
        assert [(one.id, one.worst) for one in listed] == [(segment.id, "error")]
        assert any(one["code"] == "TRN001" for one in checks.open_findings(bare))
    with ModelServer(translator(right)) as model:
        assert translate(bare, model, again=True).translated == 1
    assert codes(bare, ANN_AT) == set()


def test_a_batch_that_fails_does_not_stop_the_others_and_is_left_for_the_next_run(bare, right):
    def refusing(payload):
        if file_of(payload) == "policy.md":
            return server.refuses(429, retry_after="0")
        return translator(right)(payload)

    with ModelServer(refusing) as model:
        report = translate(bare, model, attempts=2)
        assert (report.translated, report.left) == (15, {"rate_limited": 8})
        assert "8 left (rate_limited)" in str(translation_report.summary(report))
    with ModelServer(translator(right)) as model:
        assert translate(bare, model).translated == 8
        assert {file_of(request.payload) for request in model.requests} == {"policy.md"}
    assert targets(bare) == right


def test_texts_that_were_right_are_kept_when_the_retry_gets_no_answer(bare, right):
    RIGHT.update(right)
    replies = iter([FAULTS["an altered identifier"][0], *[lambda _: server.refuses(500)] * 9])

    def failing(payload):
        return (
            next(replies)(payload)
            if file_of(payload) == "tasks.json"
            else translator(right)(payload)
        )

    with ModelServer(failing) as model:
        report = translate(bare, model, attempts=1)
    assert (report.translated, report.left) == (22, {"server": 1})
    assert bare.segments.at("airline", ANN_AT).target is None
    assert bare.segments.at("airline", BOB_AT).target == right[BOB]


def test_a_refused_key_stops_everything_at_once(bare):
    with ModelServer(lambda _: server.refuses(401, f"bad key {KEY}")) as model:
        with pytest.raises(LlmError) as error:
            translate(bare, model, concurrency=1)
        assert len(model.requests) == 1
    assert KEY not in str(error.value)
    assert set(targets(bare).values()) == {None}


# -- people ------------------------------------------------------------------------------------


def test_a_text_that_somebody_wrote_answered_or_types_is_never_sent(bare, right, crew):
    with ModelServer(translator(right)) as model:
        translate(bare, model)
    at = bare.segments.at
    answers.answer(bare, at("airline", BOB_AT).id, crew.a, verdict="approve", expected_version=1)
    answers.edit(bare, at("airline", ANN_AT).id, crew.a, target="人の文", expected_version=1)
    answers.save_draft(bare, at("airline", RULE).id, crew.b, target="書きかけ", base_version=1)
    before = {address: at("airline", address) for address in (ANN_AT, BOB_AT, RULE)}
    system = prompts.prompts(bare)[0]
    prompts.save(bare, crew.m, system.name, f"{system.text}\nMore.", expected_version=0)
    with ModelServer(translator(right)) as model:
        report = translate(bare, model, again=True)
        sent = {text for request in model.requests for text in asked(request.payload).values()}
    assert report.translated == 20
    assert sent.isdisjoint({one.source for one in before.values()})
    assert {address: at("airline", address) for address in before} == before


def test_a_text_that_somebody_writes_meanwhile_stays(bare, right, crew):
    def interrupting(payload):
        if file_of(payload) == "tasks.json":
            other = Store(bare.path)
            mine = other.segments.at("airline", ANN_AT)
            answers.edit(other, mine.id, crew.a, target="人の文", expected_version=0)
            theirs = other.segments.at("airline", BOB_AT)
            answers.save_draft(other, theirs.id, crew.b, target="書きかけ", base_version=0)
            other.close()
        return translator(right)(payload)

    with ModelServer(interrupting) as model:
        report = translate(bare, model)
    assert (report.translated, report.skipped) == (21, 2)
    ann = bare.segments.at("airline", ANN_AT)
    assert (ann.target, ann.version) == ("人の文", 1)
    assert (
        bare.reviews.draft(bare.segments.at("airline", BOB_AT).id, crew.b.id).target == "書きかけ"
    )
    assert bare.problems() == []


def test_a_machine_draft_of_an_older_source_is_made_anew_only_when_asked(bare, right, tiny):
    with ModelServer(translator(right)) as model:
        translate(bare, model)
    tiny.change("policy.md", "24 hours", "48 hours")
    import_domain.import_domain(bare, tiny.request(draft=None))
    newer = right | {
        "- Refund a booking only within 48 hours.": "- 予約の返金は48時間以内に限ります。"
    }
    with ModelServer(translator(newer)) as model:
        assert translate(bare, model).texts == 0
        assert translate(bare, model, again=True).translated == 1
        assert [list(asked(r.payload).values()) for r in model.requests] == [
            ["- Refund a booking only within 48 hours."]
        ]
    rule = bare.segments.at("airline", RULE)
    assert (rule.version, rule.state) == (2, "draft") and "48時間" in rule.target


def test_what_is_sent_and_checked_is_the_adapted_source(bare, right):
    adapted = {
        ANN: ANN.replace("ann_lee_1234", "kaori_kato_1234").replace("#W1234567", "#W7777777")
    }
    texts = right | {adapted[ANN]: "あなたは加藤香織です。kaori_kato_1234 #W7777777"}
    with ModelServer(translator(texts)) as model:
        report = translate(bare, model, adapt=lambda one: adapted.get(one.source, one.source))
        assert (report.translated, len(model.requests)) == (23, len(FILES))
        assert ANN not in json.dumps([r.payload for r in model.requests], ensure_ascii=False)


@pytest.mark.parametrize("own", [None, {"type": "json_object"}])
def test_the_answer_is_asked_for_by_schema_unless_the_settings_name_another_form(bare, right, own):
    with ModelServer(translator(right)) as model:
        one = order(model, addresses=(RULE,))
        parameters = {"temperature": 0.2} | ({"response_format": own} if own else {})
        one = replace(one, endpoint=replace(one.endpoint, parameters=parameters))
        assert translation.translate(bare, one, Reporter(Pulse())).translated == 1
        payload = model.requests[0].payload
    assert payload["temperature"] == 0.2
    assert (own or translation_request.response_format(["k1"])) == payload["response_format"]


# -- stopping ----------------------------------------------------------------------------------


def test_cancelling_keeps_what_was_answered_and_the_next_run_does_the_rest(bare, right):
    reporter = Reporter(Pulse())

    def stopping(payload):
        if file_of(payload) == "tasks.json":
            reporter.stop()
        return translator(right)(payload)

    with ModelServer(stopping) as model:
        report = translate(bare, model, reporter, concurrency=1)
        assert report.cancelled and report.translated == len(translated(bare))
        assert {file_of(r.payload) for r in model.requests} == {"policy.md", "tasks.json"}
        assert report.left == {"not asked": 23 - report.translated}
        assert translate(bare, model, concurrency=1).left == {}
        assert Counter(file_of(r.payload) for r in model.requests) == dict.fromkeys(FILES, 1)
    assert targets(bare) == right


def test_an_answer_that_was_kept_and_not_used_is_not_paid_for_again(bare, right, tiny, tmp_path):
    with ModelServer(translator(right)) as model:
        translate(bare, model)
        other = Store(tmp_path / "other.db")
        import_domain.import_domain(other, tiny.request(draft=None))
        with other.write("test"):
            for name, *_ in dump(bare.path)["model_answers"]:
                other.jobs.keep_answer(replace(bare.jobs.answer(name), job_id=None))
        report = translate(other, model)
        assert (report.reused, report.calls, len(model.requests)) == (4, 0, 4)
        assert targets(other) == right
        other.close()


def test_ctrl_c_stops_in_an_orderly_way_and_the_key_is_seen_nowhere(bare, run, right, tmp_path):
    def interrupting(payload):
        if file_of(payload) == "policy.md":
            return server.refuses(429, f"wait, {KEY}", retry_after="0")
        if file_of(payload) == "tasks.json":
            os.kill(os.getpid(), signal.SIGINT)
        return translator(right)(payload)

    with ModelServer(interrupting) as model:
        code, out, err = run(model, "--json")
        assert code == 130 and "goes on" in err
        assert model.requests[0].headers["authorization"] == f"Bearer {KEY}"
    report = json.loads(out)
    assert report["cancelled"] and report["translated"] == len(translated(bare)) > 0
    assert bare.jobs.list()[0].state == "cancelled"
    with ModelServer(lambda _: server.refuses(401, f"bad key {KEY}")) as model:
        code, more_out, more_err = run(model)
        assert code == 2 and "key was refused" in more_err
    words = [one.encode() for one in (out, err, more_out, more_err)]
    files = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) > 5 and not [1 for text in (*files, *words) if KEY.encode() in text]


def test_after_kill_9_nothing_is_lost_and_only_what_was_under_way_is_asked_again(
    bare, run, right, tmp_path
):
    """At most the requests under way when the process died are paid for twice: two here."""
    with ModelServer(translator(right)) as model:
        model.answer = late = answering(translator(right), 2)
        assert run(model, "--background", "--concurrency", "2")[0] == 0
        until(lambda: len(model.requests) == 4 and len(translated(bare)) > 0)
        assert "unfinished" in run(model)[2]
        job = bare.jobs.list()[0]
        os.kill(job.pid, signal.SIGKILL)
        paid = {source for payload in late.payloads[:2] for source in asked(payload).values()}
        until(lambda: [one.id for one in jobs.reap(bare)] == [job.id])
        before = len(translated(bare))
        assert set(translated(bare)) <= paid and bare.problems() == []
        model.answer = translator(right)
        code, out, _ = run(model)
        assert (code, targets(bare)) == (0, right), out
        done = bare.jobs.list()[0]
        assert (done.state, done.done, done.total) == ("done", 23 - before, 23 - before)
        assert str(done.note).startswith(
            f"{23 - before} translated, 2 calls, 14 tokens in, 10 out, unp"
        )
        again = {text for r in model.requests[4:] for text in asked(r.payload).values()}
        assert len(model.requests) == 6 and again.isdisjoint(paid)
    assert bare.problems() == []
    logs = [path.read_bytes() for path in (tmp_path / "jobs").iterdir()]
    assert logs and not any(KEY.encode() in log for log in logs)


# -- on the command line -----------------------------------------------------------------------


def test_a_dry_run_says_what_it_would_do_and_calls_nobody(bare, capsys, monkeypatch):
    monkeypatch.setenv("JTAU_TRANSLATE_MODEL", "openai/nothing-known")
    words = ["translate", "--domain", "airline", "--dry-run", "--db", str(bare.path)]
    assert cli.main([*words, "--json"]) == 0
    before = dump(bare.path)  # the first one finds the domain's entities
    plan = json.loads(capsys.readouterr().out)
    assert (plan["texts"], plan["requests"], plan["cost_usd"]) == (23, 4, None)
    assert plan["tokens_in"] > plan["tokens_out"] > 100
    assert cli.main([*words, "--model", "gemini/gemini-3.1-pro-preview"]) == 0
    assert " USD" in capsys.readouterr().out
    assert cli.main([*words, "--segments", RULE, ANN_AT]) == 0
    assert capsys.readouterr().out.startswith("2 texts in 2 requests, about ")
    assert dump(bare.path) == before


def test_only_named_segments_are_translated(bare, run, right):
    with ModelServer(translator(right)) as model:
        code, out, _ = run(model, "--segments", RULE)
        assert (code, out[:14]) == (0, "1 translated, ")
        assert [list(asked(r.payload)) for r in model.requests] == [["k1"]]
        assert run(model, "--segments", "policy.md#none")[0] == 2
        assert run(model, "--concurrency", "0")[0] == 2
    assert translated(bare) == ["- Refund a booking only within 24 hours."]
