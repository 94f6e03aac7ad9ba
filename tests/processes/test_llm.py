"""The door to language models, against a real server that misbehaves on purpose."""

from __future__ import annotations

import asyncio
import json
import logging
import subprocess
import sys
import traceback
from dataclasses import replace

import pytest
from model_server import (
    ModelServer,
    cut,
    dripping,
    drops,
    raw,
    refuses,
    says,
    script,
    slow,
    without_choices,
)

from review_app import llm
from review_app.errors import BadInput
from review_app.llm import Endpoint, Limiter, LlmError

KEY = "sk-never-to-be-seen-4711"
HELLO = ({"role": "user", "content": "Hello"},)


# -- settings ----------------------------------------------------------------------------------


def test_an_endpoint_comes_from_the_environment():
    environ = {
        "JTAU_AGENT_MODEL": "openai/small",
        "JTAU_AGENT_API_BASE": "http://here/v1",
        "JTAU_AGENT_API_KEY": KEY,
        "JTAU_AGENT_PARAMETERS": '{"temperature": 0}',
        "JTAU_AGENT_TIMEOUT_S": "5",
        "JTAU_AGENT_DEADLINE_S": "9.5",
        "JTAU_AGENT_ATTEMPTS": "2",
        "JTAU_AGENT_REQUESTS_PER_MINUTE": "30",
        "JTAU_API_KEY": "another",
    }
    assert llm.endpoint("agent", environ=environ) == Endpoint(
        "openai/small", "http://here/v1", KEY, {"temperature": 0}, 5.0, 9.5, 2, 30
    )
    assert llm.endpoint("agent", model="openai/large", environ=environ).model == "openai/large"


def test_what_is_not_set_has_defaults_and_address_and_key_are_shared():
    environ = {"JTAU_API_BASE": "http://all/v1", "JTAU_API_KEY": KEY, "JTAU_TRANSLATE_MODEL": ""}
    known = llm.endpoint("translate", environ=environ)
    assert known == Endpoint("gemini/gemini-3.1-pro-preview", "http://all/v1", KEY)
    with pytest.raises(BadInput, match="JTAU_NOBODY_MODEL: no model for 'nobody'"):
        llm.endpoint("nobody", environ=environ)
    assert llm.endpoint("agent", environ={}).model == "hosted_vllm/zai-org/GLM-5.2-FP8"
    assert llm.endpoint("judge", environ={}).model == "hosted_vllm/openai/gpt-oss-120b"


def test_the_secrets_file_stands_behind_the_environment(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".streamlit").mkdir()
    secrets = tmp_path / ".streamlit" / "secrets.toml"
    secrets.write_text(
        f'[llm]\napi_key = "{KEY}"\napi_base = "http://file/v1"\nmodel = "openai/all"\n'
        '[llm.agent]\nmodel = "openai/file"\nparameters = {temperature = 0.5}\n'
    )
    known = llm.endpoint("agent", environ={})
    assert known == Endpoint("openai/file", "http://file/v1", KEY, {"temperature": 0.5})
    assert llm.endpoint("agent", environ={"JTAU_AGENT_MODEL": "x"}).model == "x"
    assert llm.endpoint("agent", environ={"JTAU_API_KEY": "y"}).api_key == "y"
    assert llm.endpoint("user", environ={}).model == "openai/all"
    secrets.write_text(f'[llm]\napi_key = "{KEY}\n')
    with pytest.raises(BadInput, match="secrets.toml: is not TOML") as refused:
        llm.endpoint("agent", environ={})
    assert KEY not in "".join(traceback.format_exception(refused.value))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PARAMETERS", "[1]"),
        ("PARAMETERS", "{"),
        ("ATTEMPTS", "many"),
        ("TIMEOUT_S", "-1"),
        ("DEADLINE_S", "nan"),
    ],
)
def test_a_setting_that_is_unusable_is_named(name, value):
    with pytest.raises(BadInput, match=f"^JTAU_TRANSLATE_{name}: must be"):
        llm.endpoint("translate", environ={f"JTAU_TRANSLATE_{name}": value})


def test_a_key_is_not_shown_by_an_endpoint():
    assert KEY not in repr(Endpoint("m", "http://here", KEY))


def test_importing_the_door_does_not_import_the_library():
    code = "import sys, review_app.llm; print({'litellm', 'openai'} & set(sys.modules))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout == "set()\n"


# -- one answer --------------------------------------------------------------------------------


@pytest.fixture(scope="module", autouse=True)
def warm():
    """The library is imported, and has imported what it imports at its first call."""
    with ModelServer(script(says("warm"))) as server:
        for model in ("hosted_vllm/m", "openai/m"):
            asyncio.run(llm.complete(Endpoint(model, server.url), HELLO))


class Naps:
    """Waits between attempts, noted down instead of slept."""

    def __init__(self):
        self.seconds, self.waited = 0.0, []

    def clock(self):
        return self.seconds

    async def sleep(self, seconds):
        self.seconds += seconds
        await asyncio.sleep(0)

    def limiter(self):
        return Limiter(1, clock=self.clock, sleep=self.sleep)


def ask(
    server, *, model="hosted_vllm/m", cancelled=lambda: False, naps=None, more=None, **settings
):
    endpoint = Endpoint(model, server.url, KEY, **{"timeout_s": 20.0} | settings)
    limiter = (naps or Naps()).limiter

    async def call():
        return await llm.complete(
            endpoint, HELLO, cancelled=cancelled, limiter=limiter(), **more or {}
        )

    return asyncio.run(call())


PROVIDERS = pytest.mark.parametrize("model", ["hosted_vllm/m", "openai/gpt-4o"])


@PROVIDERS
def test_a_request_carries_what_was_given_and_the_answer_says_what_it_took(model):
    tools = [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}]
    form = {"type": "json_object"}
    with ModelServer(script(says("やあ", usage=(70, 50)))) as server:
        answer = ask(
            server,
            model=model,
            parameters={"temperature": 0, "max_tokens": 9},
            more={"tools": tools, "response_format": form, "seed": 3},
        )
    (request,) = server.requests
    assert request.payload == {
        "model": model.partition("/")[2],
        "messages": list(HELLO),
        "tools": tools,
        "seed": 3,
        "response_format": form,
        "temperature": 0,
        "max_tokens": 9,
    }
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert (answer.text, answer.finish_reason, answer.tool_calls) == ("やあ", "stop", ())
    assert (answer.tokens_in, answer.tokens_out, answer.attempts) == (70, 50, 1)
    assert (answer.model, answer.request_id) == ("test-model-2026", "answer-1")
    assert 0 < answer.latency_s < 20


def test_a_known_price_is_counted_and_an_unknown_one_is_none():
    with ModelServer(script(says("hello", usage=(1000, 100)))) as server:
        known = ask(server, model="openai/gpt-4o").cost_usd
        assert known == pytest.approx(1000 * 2.5e-6 + 100 * 1e-5)
        assert ask(server, model="hosted_vllm/m").cost_usd is None
        assert ask(server, model="openai/my-own").cost_usd is None


@PROVIDERS
@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (says(None), ("", "stop", (7, 5))),
        (says(""), ("", "stop", (7, 5))),
        (without_choices(), ("", "", (7, 5))),
        (says("x", usage=None), ("x", "stop", (0, 0))),
        (says('{"a": ', finish_reason="length"), ('{"a": ', "length", (7, 5))),
    ],
    ids=["null", "empty", "no choices", "no usage", "cut off"],
)
def test_a_strange_answer_is_an_answer(model, reply, expected):
    with ModelServer(script(reply)) as server:
        answer = ask(server, model=model)
    assert (answer.text, answer.finish_reason, (answer.tokens_in, answer.tokens_out)) == expected
    assert answer.tool_calls == () and server.answered == len(server.requests) == 1
    if not answer.tokens_in:
        assert answer.cost_usd is None


@pytest.mark.parametrize(
    ("sent", "mapped"),
    [("stop", "stop"), ("sensitive", "content_filter"), ("network_error", "stop"), (None, "")],
)
def test_the_providers_own_finish_reason_is_kept_and_none_is_not_made_into_stop(sent, mapped):
    with ModelServer(script(says("", finish_reason=sent))) as where:
        answer = asyncio.run(llm.complete(Endpoint("openai/test", where.url, KEY), HELLO))
    assert (answer.finish_reason, answer.provider_reason) == (mapped, sent or "")


@pytest.mark.parametrize(("name", "thought"), [("reasoning_content", True), ("other", False)])
def test_reasoning_beside_an_empty_text_is_noticed(name, thought):
    body = json.loads(says("", finish_reason="length").body)
    body["choices"][0]["message"][name] = "Let me think"
    with ModelServer(script(raw(json.dumps(body).encode()))) as where:
        answer = asyncio.run(llm.complete(Endpoint("openai/test", where.url, KEY), HELLO))
    assert (answer.text, answer.thought) == ("", thought)


def test_the_arguments_of_tool_calls_stay_as_they_were_written():
    calls = [("book", '{"seat": '), ("look", "{}")]
    with ModelServer(script(says(None, tool_calls=calls, finish_reason="tool_calls"))) as server:
        answer = ask(server)
    assert answer.tool_calls == (
        {"id": "call-0", "name": "book", "arguments": '{"seat": '},
        {"id": "call-1", "name": "look", "arguments": "{}"},
    )


# -- faults ------------------------------------------------------------------------------------

FAULTS = {
    "rate limited": (refuses(429), {"rate_limited"}),
    "500": (refuses(500), {"server"}),
    "503": (refuses(503), {"server"}),
    "dropped": (drops(), {"connection"}),
    "cut in the middle": (cut(says("hello" * 100), 100), {"connection"}),
    "half a document": (raw(b'{"id": "x", "cho'), {"network_error", "server"}),
    "a web page": (raw(b"<html>", content_type="text/html"), {"network_error", "server"}),
    "no object": (raw(b"[]"), {"network_error"}),
}


@PROVIDERS
@pytest.mark.parametrize("fault", FAULTS)
def test_a_passing_fault_is_tried_again_and_a_lasting_one_is_told(model, fault):
    reply, kinds = FAULTS[fault]
    with ModelServer(script(reply, reply, says("at last"))) as server:
        answer = ask(server, model=model)
    assert (answer.text, answer.attempts, len(server.requests)) == ("at last", 3, 3)
    with ModelServer(script(reply)) as server, pytest.raises(LlmError) as refused:
        ask(server, model=model, attempts=2)
    assert refused.value.kind in kinds and refused.value.retryable
    assert len(server.requests) == 2


@PROVIDERS
@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, "bad_request"),
        (401, "authentication"),
        (403, "authentication"),
        (404, "bad_request"),
        (422, "bad_request"),
    ],
)
def test_what_will_not_pass_is_not_tried_again(model, status, kind):
    with ModelServer(script(refuses(status))) as server, pytest.raises(LlmError) as refused:
        ask(server, model=model)
    assert (refused.value.kind, refused.value.retryable) == (kind, False)
    assert len(server.requests) == 1


def test_the_wait_a_server_asks_for_is_kept_and_otherwise_grows():
    naps = Naps()
    with ModelServer(script(refuses(429, retry_after="40"), says("ok"))) as server:
        ask(server, naps=naps)
    assert 40 <= naps.seconds < 41
    naps = Naps()
    with ModelServer(script(refuses(503, retry_after="9999"), says("ok"))) as server:
        ask(server, naps=naps)
    assert 120 <= naps.seconds < 121
    naps = Naps()
    with ModelServer(script(refuses(500), refuses(500), says("ok"))) as server:
        ask(server, naps=naps)
    assert 1.5 <= naps.seconds <= 3


def test_a_429_holds_back_every_call_of_the_endpoint():
    naps = Naps()
    with ModelServer(script(refuses(429, retry_after="50"), says("ok"))) as server:
        endpoint = Endpoint("hosted_vllm/m", server.url, KEY, attempts=1)

        async def calls():
            limiter = naps.limiter()
            with pytest.raises(LlmError):
                await llm.complete(endpoint, HELLO, limiter=limiter)
            await llm.complete(endpoint, HELLO, limiter=limiter)

        asyncio.run(calls())
    assert naps.seconds >= 50


@pytest.mark.parametrize(
    ("reply", "settings"),
    [
        (slow(says("late"), 9), {"timeout_s": 0.3}),
        (dripping(says("drip"), 0.05), {"timeout_s": 5.0, "deadline_s": 0.5}),
    ],
    ids=["silent", "dripping"],
)
def test_a_server_that_takes_too_long_is_left(reply, settings):
    with ModelServer(script(reply)) as server, pytest.raises(LlmError) as refused:
        ask(server, attempts=1, **settings)
    assert refused.value.kind == "timeout" and server.answered == 0


def test_a_cancel_is_obeyed_while_a_model_thinks_and_before_it_is_asked():
    with ModelServer(script(slow(says("late"), 9))) as server:
        with pytest.raises(LlmError) as stopped:
            ask(server, cancelled=lambda: bool(server.requests))
        assert (stopped.value.kind, stopped.value.retryable) == ("cancelled", False)
        with pytest.raises(LlmError, match="stopped as asked"):
            ask(server, cancelled=lambda: True)
    assert len(server.requests) == 1


def test_without_key_and_address_nothing_is_asked():
    with pytest.raises(LlmError, match="API_KEY") as refused:
        asyncio.run(llm.complete(Endpoint("openai/gpt-4o"), HELLO))
    assert refused.value.kind == "authentication"


def test_without_a_key_nobody_elses_is_sent(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with ModelServer(script(says("hello"))) as server:
        asyncio.run(llm.complete(Endpoint("openai/m", server.url), HELLO))
    assert KEY not in json.dumps(server.requests[0].headers)


@PROVIDERS
def test_a_key_is_in_no_message_no_trace_and_no_log(model, caplog, capfd):
    caplog.set_level(logging.DEBUG)
    replies = [refuses(code, f"bad key {KEY}\nline 2") for code in (401, 400, 429, 500)]
    for reply in [*replies, drops(), raw(b"{"), raw(KEY.encode())]:
        with ModelServer(script(reply)) as server, pytest.raises(LlmError) as refused:
            ask(server, model=model, attempts=1)
        shown = "".join(traceback.format_exception(refused.value)) + repr(refused.value)
        assert KEY not in shown and "\n" not in str(refused.value)
    assert KEY not in caplog.text
    assert KEY not in "".join(capfd.readouterr())


def test_preflight_says_in_one_line_what_is_wrong():
    with ModelServer(script(says("OK"))) as server:
        good = Endpoint("hosted_vllm/m", server.url, KEY)
        assert llm.preflight(good) is None
        assert len(server.requests) == 1
    gone = str(llm.preflight(good))
    assert "nothing answers there" in gone and "\n" not in gone
    assert "no key" in str(llm.preflight(replace(good, api_base=None, api_key="")))
    with ModelServer(script(refuses(401))) as server:
        assert "key was refused" in str(llm.preflight(replace(good, api_base=server.url)))
