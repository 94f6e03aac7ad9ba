"""An OpenAI-compatible model server on this machine; every answer and every fault is scripted.

with ModelServer(script(refuses(429, retry_after="1"), says("hello"))) as server:
    ...  # ask at server.url
assert [request.payload["messages"] for request in server.requests]
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Reply:
    """What goes back over the wire, and how badly."""

    body: bytes
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    wait_s: float = 0.0
    """Before anything is sent."""
    drip_s: float = 0.0
    """Between any two bytes."""
    sent: int | None = None
    """Bytes of the body sent before hanging up; None for all; -1 hangs up without a status."""


def says(
    text: str | None,
    *,
    finish_reason: str | None = "stop",
    tool_calls: Sequence[tuple[str, str]] = (),
    usage: tuple[int, int] | None = (7, 5),
    model: str = "test-model-2026",
) -> Reply:
    """A proper answer.

    Args:
        text: The content; None is sent as null.
        finish_reason: As OpenAI names it.
        tool_calls: (name, arguments as raw text).
        usage: Tokens in and out; None leaves it out.
        model: What the provider calls itself.
    """
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if tool_calls:
        message["tool_calls"] = [
            {"id": f"call-{n}", "type": "function", "function": {"name": name, "arguments": raw}}
            for n, (name, raw) in enumerate(tool_calls)
        ]
    choice = {"index": 0, "message": message, "finish_reason": finish_reason}
    body: dict[str, Any] = {
        "id": "answer-1",
        "object": "chat.completion",
        "created": 1,
        "model": model,
        "choices": [choice],
    }
    if usage:
        tokens_in, tokens_out = usage
        body["usage"] = {
            "prompt_tokens": tokens_in,
            "completion_tokens": tokens_out,
            "total_tokens": tokens_in + tokens_out,
        }
    return Reply(json.dumps(body, ensure_ascii=False).encode())


def without_choices() -> Reply:
    """An answer whose list of choices is empty."""
    body = json.loads(says("").body) | {"choices": []}
    return Reply(json.dumps(body).encode())


def raw(body: bytes, *, content_type: str = "application/json") -> Reply:
    """Status 200 with any bytes."""
    return Reply(body, headers={"Content-Type": content_type})


def refuses(status: int, message: str = "refused", *, retry_after: str | None = None) -> Reply:
    """An error of the server."""
    body = {"error": {"message": message, "type": "error", "code": str(status)}}
    headers = {"Retry-After": retry_after} if retry_after is not None else {}
    return Reply(json.dumps(body).encode(), status, headers)


def drops() -> Reply:
    """The connection is closed without a word."""
    return Reply(b"", sent=-1)


def cut(reply: Reply, sent: int) -> Reply:
    """The same, but the connection is closed after so many bytes of the body."""
    return replace(reply, sent=sent)


def slow(reply: Reply, wait_s: float) -> Reply:
    """The same, but nothing comes for so long."""
    return replace(reply, wait_s=wait_s)


def dripping(reply: Reply, drip_s: float) -> Reply:
    """The same, byte by byte: no silence is ever long."""
    return replace(reply, drip_s=drip_s)


def script(*replies: Reply) -> Callable[[dict[str, Any]], Reply]:
    """Answers with these one after the other, then with the last one again and again."""
    left = list(replies)
    lock = threading.Lock()

    def answer(payload: dict[str, Any]) -> Reply:
        with lock:
            return left.pop(0) if len(left) > 1 else left[0]

    return answer


@dataclass(frozen=True)
class Request:
    """What was asked."""

    payload: dict[str, Any]
    headers: dict[str, str]
    """Names in small letters."""
    at: float
    """Seconds of the monotonic clock."""


class ModelServer:
    """Listens while its block lasts.

    Args:
        answer: Gives the reply to a request's JSON; called from several threads.
    """

    def __init__(self, answer: Callable[[dict[str, Any]], Reply]) -> None:
        self.answer = answer
        self.requests: list[Request] = []
        self.answered = 0
        """Replies that were sent to their last byte with status 200: what a user pays for."""
        self.lock = threading.Lock()
        self.closing = threading.Event()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._http.daemon_threads = True
        self._http.block_on_close = False
        self.url = f"http://127.0.0.1:{self._http.server_port}/v1"

    def __enter__(self) -> ModelServer:
        threading.Thread(
            target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        ).start()
        return self

    def __exit__(self, *error: object) -> None:
        self.closing.set()
        self._http.shutdown()
        self._http.server_close()


def _handler(server: ModelServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            payload = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            headers = {name.lower(): value for name, value in self.headers.items()}
            with server.lock:
                server.requests.append(Request(payload, headers, time.monotonic()))
            reply = server.answer(payload)
            server.closing.wait(reply.wait_s)
            try:
                self._send(reply)
            except OSError:  # the client hung up
                self.close_connection = True

        def _send(self, reply: Reply) -> None:
            self.close_connection = reply.sent is not None
            if reply.sent == -1:
                return
            self.send_response(reply.status)
            for name, value in {"Content-Type": "application/json", **reply.headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(reply.body)))
            self.end_headers()
            body = reply.body[: reply.sent]
            step = 1 if reply.drip_s else max(len(body), 1)
            for start in range(0, len(body), step):
                self.wfile.write(body[start : start + step])
                self.wfile.flush()
                if reply.drip_s and server.closing.wait(reply.drip_s):
                    self.close_connection = True
                    return
            if reply.sent is None and reply.status == 200:
                with server.lock:
                    server.answered += 1

        def log_message(self, *words: object) -> None:
            pass

    return Handler
