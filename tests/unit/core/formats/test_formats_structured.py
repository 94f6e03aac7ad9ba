"""JSON and TOML files: texts, alignment, writing back."""

from __future__ import annotations

import json

import pytest

from review_app.core.formats import align, parse_fields, render, units
from review_app.errors import BadInput


def task(name="7", **members):
    return {"id": name, "user_scenario": {"instructions": members.pop("say", "Say it")}, **members}


def dumped(*tasks, **options):
    return json.dumps(tasks, ensure_ascii=False, indent=2, **options)


def texts_of(file, raw, *args):
    return {unit.address.partition("#")[2]: unit.text for unit in units(file, raw, *args)}


def test_all_texts_of_a_task_are_found_in_file_order():
    raw = dumped(
        task(
            "[a]b|c/~",
            description={"purpose": "P", "relevant_policies": "R", "notes": " "},
            say={
                "task_instructions": "T",
                "domain": "d",
                "reason_for_call": "C",
                "known_info": "K",
                "unknown_info": None,
            },
            ticket="Ti",
            initial_state={"message_history": [{"content": "M"}, {"content": None}]},
            evaluation_criteria={
                "actions": [{"name": "x", "info": "no text"}],
                "nl_assertions": ["N0", "N1"],
                "env_assertions": [{"func_name": "f", "message": "E"}],
            },
        )
    )
    start = "[a]b|c~1~0"
    assert list(texts_of("tasks.json", raw).items()) == [
        (f"{start}/user_scenario/instructions/task_instructions", "T"),
        (f"{start}/user_scenario/instructions/reason_for_call", "C"),
        (f"{start}/user_scenario/instructions/known_info", "K"),
        (f"{start}/description/purpose", "P"),
        (f"{start}/description/relevant_policies", "R"),
        (f"{start}/ticket", "Ti"),
        (f"{start}/initial_state/message_history/0/content", "M"),
        (f"{start}/evaluation_criteria/nl_assertions/0", "N0"),
        (f"{start}/evaluation_criteria/nl_assertions/1", "N1"),
        (f"{start}/evaluation_criteria/env_assertions/0/message", "E"),
    ]
    assert {unit.section for unit in units("tasks.json", raw)} == {"task [a]b|c/~"}


def test_only_the_changed_string_differs():
    raw = '\ufeff[ {"x": 1.50e+2, "id":"7", "ticket" : "A\\/B\\u0041", "a":1,"a":2}\t]\r\n'
    assert render("tasks.json", raw, None, {"tasks.json#7/ticket": "A/BA"}) == raw
    assert render("tasks.json", raw, None, {"tasks.json#7/ticket": 'é"'}) == raw.replace(
        '"A\\/B\\u0041"', '"é\\""'
    )


def test_of_two_members_with_one_name_the_last_is_the_text():
    raw = '[{"id": "7", "ticket": "first", "ticket": "last"}]'
    assert texts_of("tasks.json", raw) == {"7/ticket": "last"}
    assert render("tasks.json", raw, None, {"tasks.json#7/ticket": "x"}) == raw.replace("last", "x")


@pytest.mark.parametrize(
    ("written", "new"),
    [
        ('"caf\\u00e9"', '"\\u672c"'),
        ('"\\ud83d\\ude00"', '"\\u672c"'),
        ('"caf\\u00e9 é"', '"本"'),
        ('"a\\u0007"', '"本"'),
        ('"a\\\\u00e9"', '"本"'),
    ],
    ids=["escaped", "escaped pair", "mixed", "control only", "escaped backslash"],
)
def test_new_text_follows_the_escapes_of_the_file(written, new):
    raw = f'[{{"id": "7", "ticket": "x", "notes": {written}}}]'
    assert render("tasks.json", raw, None, {"tasks.json#7/ticket": "本"}) == raw.replace('"x"', new)


def test_lone_surrogates_stay_escaped():
    raw = '[{"id": "7", "ticket": "\\ud800", "notes": "é"}]'
    assert render("tasks.json", raw, None, {"tasks.json#7/ticket": "\ud800"}) == raw
    assert '"\\udfffx"' in render("tasks.json", raw, None, {"tasks.json#7/ticket": "\udfffx"})


def test_tasks_align_by_id_and_path():
    source = dumped(task("1", ticket="A"), task("2", ticket="B"), task("3"))
    draft = dumped(task("2", ticket="び", say="に"), task("1", ticket=None, say="いち"), task("9"))
    alignment = align("tasks.json", source, draft)
    assert alignment.pairs == {
        "tasks.json#1/user_scenario/instructions": "いち",
        "tasks.json#2/user_scenario/instructions": "に",
        "tasks.json#2/ticket": "び",
    }
    assert [(e.side, e.address, str(e.reason), e.text) for e in alignment.unaligned] == [
        ("source", "tasks.json#1/ticket", "null in the draft where the source has text", ""),
        ("source", "tasks.json#3/user_scenario/instructions", "task '3' is not in the draft", ""),
        (
            "draft",
            "tasks.json#9/user_scenario/instructions",
            "task '9' is not in the source",
            "Say it",
        ),
    ]


def test_text_where_the_source_has_none_is_reported():
    alignment = align("tasks.json", dumped(task(ticket=None)), dumped(task(ticket="た")))
    assert [(e.side, e.address, e.text) for e in alignment.unaligned] == [
        ("draft", "tasks.json#7/ticket", "た")
    ]


def test_lists_of_another_length_are_not_guessed():
    source = dumped(task(evaluation_criteria={"nl_assertions": ["a", "b"]}))
    draft = dumped(task(evaluation_criteria={"nl_assertions": ["あ"], "actions": [{"n": 1.50}]}))
    alignment = align("tasks.json", source, draft)
    assert {str(e.reason) for e in alignment.unaligned if e.side == "source"} == {
        "'nl_assertions': 2 entries in the source, 1 in the draft"
    }
    address = "tasks.json#7/evaluation_criteria/nl_assertions/1"
    rendered = json.loads(render("tasks.json", source, draft, {address: "い"}))
    assert rendered[0]["evaluation_criteria"] == {
        "nl_assertions": ["a", "い"],
        "actions": [{"n": 1.5}],
    }


@pytest.mark.parametrize(
    ("draft", "rendered"),
    [
        ('[{"id": "7", "ticket": null, "x": 1}]', '[{"id": "7", "ticket": "T", "x": 1}]'),
        ('[{"id": "7"}]', '[{"id": "7", "ticket": "T"}]'),
        ('[{"id": "7", "ticket": 5}]', '[{"id": "7", "ticket": "T"}]'),
        ('[{\n  "id": "7"\n}]', '[{\n  "id": "7",\n  "ticket": "T"\n}]'),
    ],
    ids=["null", "absent on one line", "no text", "absent on lines"],
)
def test_a_text_the_draft_lacks_is_put_in_its_place(draft, rendered):
    source = '[{"id": "7", "ticket": "A"}]'
    assert render("tasks.json", source, draft, {"tasks.json#7/ticket": "T"}) == rendered


def test_a_member_is_added_to_an_empty_object():
    source = '[{"id": "7", "description": {"notes": "N", "purpose": "P"}}]'
    draft = '[{"id": "7", "description": { }}]'
    targets = {"tasks.json#7/description/notes": "n", "tasks.json#7/description/purpose": "p"}
    rendered = json.loads(render("tasks.json", source, draft, targets))
    assert rendered[0]["description"] == {"notes": "n", "purpose": "p"}


def test_a_draft_list_that_is_null_is_taken_from_the_source():
    source = dumped(task(evaluation_criteria={"nl_assertions": ["a", "b"]}))
    draft = dumped(task(evaluation_criteria={"nl_assertions": None, "x": 1}))
    address = "tasks.json#7/evaluation_criteria/nl_assertions/0"
    reasons = {str(entry.reason) for entry in align("tasks.json", source, draft).unaligned}
    assert reasons == {"'nl_assertions' is null in the draft"}
    rendered = json.loads(render("tasks.json", source, draft, {address: "あ"}))
    assert rendered[0]["evaluation_criteria"] == {"nl_assertions": ["あ", "b"], "x": 1}


def test_a_draft_object_that_is_null_is_taken_from_the_source():
    source = dumped(task(description={"purpose": "A", "notes": "N"}))
    targets = {"tasks.json#7/description/purpose": "あ"}
    rendered = render("tasks.json", source, dumped(task(description=None)), targets)
    assert json.loads(rendered)[0]["description"] == {"purpose": "あ", "notes": "N"}


def test_a_draft_that_lacks_tasks_is_completed_in_source_order():
    source = '[{"id": "1", "ticket": "A"},\n {"id": "2", "ticket": "B"}, {"id": "3"}]\n'
    draft = '[{"id": "2",   "ticket": "び", "n": 150}]'
    assert render("tasks.json", source, draft, {"tasks.json#1/ticket": "あ"}) == (
        '[{"id": "1", "ticket": "あ"},\n {"id": "2",   "ticket": "び", "n": 150}, {"id": "3"}]\n'
    )


def test_values_that_are_no_text_stay_as_drafted():
    source = dumped(task(evaluation_criteria={"actions": [{"arguments": {"cabin": "economy"}}]}))
    draft = dumped(task(evaluation_criteria={"actions": [{"arguments": {"cabin": "経済"}}]}))
    address = "tasks.json#7/user_scenario/instructions"
    assert render("tasks.json", source, draft, {address: "言う"}) == draft.replace("Say it", "言う")


TOOLS = json.dumps(
    [
        {
            "type": "function",
            "function": {
                "name": "book",
                "description": "Book.",
                "parameters": {
                    "$defs": {
                        "Mode": {"enum": ["fast", "slow"]},
                        "Person": {"properties": {"name": {"description": "Name"}}},
                    },
                    "properties": {
                        "cabin": {"description": "Cabin", "enum": ["business", 1]},
                        "days": {"items": {"enum": ["mon"]}},
                    },
                },
            },
            "x_returns": {
                "$defs": {"Person": {"properties": {"name": {"description": "Name"}}}},
                "properties": {"returns": {"description": "It"}},
            },
            "x_raises": [{"type": "ValueError", "desc": "If not"}],
        }
    ]
)


def test_all_texts_of_a_tool_are_found():
    assert texts_of("tools.json", TOOLS) == {
        "book/description": "Book.",
        "book/$defs/Mode/enum/fast": "fast",
        "book/$defs/Mode/enum/slow": "slow",
        "book/$defs/Person/name": "Name",
        "book/parameters/cabin": "Cabin",
        "book/parameters/cabin/enum/business": "business",
        "book/parameters/days/enum/mon": "mon",
        "book/returns": "It",
        "book/raises/0": "If not",
    }


def test_a_type_used_twice_is_one_unit_written_twice():
    rendered = render("tools.json", TOOLS, None, {"tools.json#book/$defs/Person/name": "名前"})
    assert rendered.count('"名前"') == 2
    assert rendered == TOOLS.replace('"Name"', '"名前"')


def test_a_tool_draft_aligns_translated_enums_by_place():
    draft = TOOLS.replace('"business"', '"ビジネス"')
    pairs = align("tools.json", TOOLS, draft).pairs
    assert pairs["tools.json#book/parameters/cabin/enum/business"] == "ビジネス"


def test_a_tool_draft_that_lacks_tools_is_completed():
    other = json.loads(TOOLS)[0]
    other["function"] = {"name": "look", "description": "Look."}
    source = json.dumps([json.loads(TOOLS)[0], other])
    draft = TOOLS.replace('"Book."', '"予約。"')
    rendered = json.loads(
        render("tools.json", source, draft, {"tools.json#look/description": "見る。"})
    )
    assert [tool["function"]["description"] for tool in rendered] == ["予約。", "見る。"]


def test_messages_are_addressed_without_the_file_ending():
    raw = '{"user_not_found": "No user {user_id}"}'
    assert [unit.address for unit in units("messages.json", raw)] == ["messages#user_not_found"]
    assert render("messages.json", raw, None, {"messages#user_not_found": "x"}) == (
        '{"user_not_found": "x"}'
    )


FIELDS = """
[[shop."db.json"]]
address = "products/{product_id}/name"
section = "product {product_id}"
paths = ["products/{product_id}/name", "orders/*/items/*{product_id}/name"]
[[shop."db.json"]]
address = "products/{product_id}/options/{option}/{text}"
paths = [
    "products/{product_id}/variants/*/options/{option}",
    "orders/*/items/*{product_id}/options/{option}",
]
[[shop."db.toml"]]
address = "plans/{plan_id}/name"
paths = ["plans/*{plan_id}/name"]
"""
SHOP = parse_fields(FIELDS, "shop")
DB = json.dumps(
    {
        "products": {
            "9": {
                "name": "Shirt",
                "variants": {
                    "1": {"options": {"color": "white", "size": "M"}, "price": 1.0},
                    "2": {"options": {"color": "white", "size": "L/XL"}},
                },
            }
        },
        "orders": {
            "#W1": {"items": [{"product_id": "9", "name": "Shirt", "options": {"color": "white"}}]},
            "#W2": {"items": [{"product_id": "8", "name": "Shirt", "options": {}}]},
        },
    }
)


def test_a_product_text_is_one_unit_wherever_it_occurs():
    assert texts_of("db.json", DB, SHOP) == {
        "products/9/name": "Shirt",
        "products/9/options/color/white": "white",
        "products/9/options/size/M": "M",
        "products/9/options/size/L~1XL": "L/XL",
        "products/8/name": "Shirt",
    }
    rendered = render("db.json", DB, None, {"db.json#products/9/options/color/white": "白"}, SHOP)
    assert rendered == DB.replace('"white"', '"白"')


def test_another_text_at_the_same_address_is_a_unit_of_its_own():
    raw = DB.replace('"name": "Shirt", "options": {"color"', '"name": "Top", "options": {"color"')
    assert texts_of("db.json", raw, SHOP)["products/9/name"] == "Shirt"
    assert texts_of("db.json", raw, SHOP)["products/9/name/2"] == "Top"
    changed = render("db.json", raw, None, {"db.json#products/9/name/2": "X"}, SHOP)
    assert changed == raw.replace('"Top"', '"X"')


def test_data_files_are_carried_along():
    assert units("split_tasks.json", '{"base": ["1"]}') == []
    assert align("split_tasks.json", "{}", "[ ]").pairs == {}
    assert render("split_tasks.json", "{}", None, {}) == "{}"
    assert render("db.toml", PLANS, PLANS, {"db.toml#plans/P1/name": "Basic"}, SHOP) == PLANS


def test_occurrences_that_differ_in_the_draft_are_reported_and_made_equal():
    draft = DB.replace('"white"', '"白"', 2)
    alignment = align("db.json", DB, draft, SHOP)
    address = "db.json#products/9/options/color/white"
    assert address not in alignment.pairs
    reasons = [str(e.reason) for e in alignment.unaligned if e.side == "source"]
    assert reasons == ["the draft has 2 different texts for it: '白' (2x), 'white' (1x)"]
    assert render("db.json", DB, draft, alignment.pairs, SHOP) == draft
    assert render("db.json", DB, draft, {address: "白"}, SHOP) == DB.replace('"white"', '"白"')


def test_a_database_of_an_unlisted_domain_has_no_texts():
    assert units("db.json", DB, parse_fields(FIELDS, "airline")) == []


PLANS = '# plans\n[[plans]]\nplan_id = "P1"\nname = "Basic"   # keep\nprice = 40.00\n'


def test_toml_keeps_comments_and_numbers():
    assert texts_of("db.toml", PLANS, SHOP) == {"plans/P1/name": "Basic"}
    rendered = render("db.toml", PLANS, None, {"db.toml#plans/P1/name": "基本"}, SHOP)
    assert rendered == PLANS.replace("Basic", "基本")


def test_toml_drafts_align_by_id():
    draft = '[[plans]]\nplan_id = "P0"\n' + PLANS.replace("Basic", "基本")
    assert align("db.toml", PLANS, draft, SHOP).pairs == {"db.toml#plans/P1/name": "基本"}


def test_toml_that_cannot_be_rewritten_exactly_is_refused_only_when_needed():
    raw = f'{PLANS}[other]\n[[plans]]\nplan_id = "P2"\nname = "Plus"\n'
    assert render("db.toml", raw, None, {"db.toml#plans/P2/name": "Plus"}, SHOP) == raw
    with pytest.raises(BadInput, match="without touching other bytes"):
        render("db.toml", raw, None, {"db.toml#plans/P2/name": "x"}, SHOP)


def test_a_toml_draft_without_the_entry_is_refused():
    with pytest.raises(BadInput, match="add the entry"):
        render("db.toml", PLANS, "plans = []\n", {"db.toml#plans/P1/name": "x"}, SHOP)


def test_an_unknown_address_is_refused():
    with pytest.raises(BadInput, match="tasks.json#8/ticket"):
        render("tasks.json", dumped(task()), None, {"tasks.json#8/ticket": "x"})


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[", "not TOML"),
        ('[[d."db.json"]]\naddress = "a"\n', "needs address"),
        ('[[d."db.json"]]\naddress = "{x}"\npaths = ["a/{y}"]\n', "no 'x' in path"),
    ],
    ids=["no TOML", "no paths", "unbound name"],
)
def test_broken_fields_are_refused(text, problem):
    with pytest.raises(BadInput, match=problem):
        parse_fields(text, "d")
