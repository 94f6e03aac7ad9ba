"""A maintainer has a domain translated, in a real browser against a model on this machine."""

from __future__ import annotations

import json
import threading

from conftest import MODEL_KEY
from model_server import says

from review_app.workflows.review import import_domain
from review_app.workflows.review.import_domain import ImportRequest

MAINTAINER = 4
KANA = "アイウエオカキクケコサシスセソ"
ANIMALS = (
    "cat",
    "dog",
    "pony",
    "goat",
    "duck",
    "hen",
    "frog",
    "crab",
    "fish",
    "bee",
    "owl",
    "ant",
    "bat",
    "fox",
    "rat",
)
ROOMS = (
    "hall",
    "bar",
    "pool",
    "yard",
    "attic",
    "cellar",
    "lobby",
    "garden",
    "tower",
    "barn",
    "shed",
    "porch",
    "loft",
    "den",
)
WAIT_MS = 60_000


def translated(line):
    if not line.startswith("- "):
        return "# 宿の規定"
    animal, room = line.removeprefix("- A ").removesuffix(".").split(" may enter the ")
    return f"- {KANA[ANIMALS.index(animal)]}は{KANA[ROOMS.index(room)]}に入れます。"


def answered(payload):
    passage = json.loads(payload["messages"][-1]["content"])["passage"]
    texts = {one["key"]: translated(one["text"]) for one in passage if "key" in one}
    entries = [{"key": key, "text": text} for key, text in texts.items()]
    return says(json.dumps({"translations": entries}, ensure_ascii=False))


def test_a_translation_is_watched_cancelled_resumed_and_its_draft_opened(
    desk, store, model, tmp_path
):
    lines = [f"- A {animal} may enter the {room}." for animal in ANIMALS for room in ROOMS]
    policy = "# Inn\n\n" + "\n".join(lines) + "\n"
    (tmp_path / "policy.md").write_text(policy, encoding="utf-8")
    (tmp_path / "tasks.json").write_text("[]\n", encoding="utf-8")
    import_domain.import_domain(store, ImportRequest(tmp_path, "inn"))
    stopping, resumed = threading.Event(), threading.Event()

    def answer(payload):
        if "# Inn" not in payload["messages"][-1]["content"]:
            (resumed if stopping.is_set() else stopping).wait(30)
        return answered(payload)

    model.answer = answer
    tab = desk(MAINTAINER).open("translation", domain="inn")
    tab.quiet()
    page = tab.page.locator("[data-testid=stMainBlockContainer]")
    assert "JTAU_TRANSLATE_API_KEY" in page.inner_text()
    tab.click("translation_start")
    page.get_by_text("Translating: 30 of 211 texts").wait_for(timeout=WAIT_MS)
    tab.page.locator(".st-key-translation_cancel button").first.click()
    page.get_by_text("Stopping").wait_for(timeout=WAIT_MS)
    tab.page.wait_for_timeout(1500)  # the job asks once a second whether to stop
    stopping.set()
    page.get_by_text("was cancelled at").wait_for(timeout=WAIT_MS)
    done = sum(one.target is not None for one in store.segments.all("inn"))
    assert 30 <= done < 211
    tab.quiet()
    resumed.set()
    tab.click("translation_resume")
    page.get_by_text("The last translation is done").wait_for(timeout=WAIT_MS)
    assert MODEL_KEY not in tab.page.content()
    assert {one.state for one in store.segments.all("inn")} == {"draft"}
    tab.page.get_by_role("link", name="Drafts to review").click()
    tab.ready()
    assert tab.box.input_value() in {one.target for one in store.segments.all("inn")}
    assert "state=draft" in tab.page.url and "domain=inn" in tab.page.url
