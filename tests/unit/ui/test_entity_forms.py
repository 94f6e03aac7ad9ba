"""The forms in which translations write an entity, and where entities occur."""

from __future__ import annotations

import pytest

from review_app.core.locale.glossary import Glossary
from review_app.core.localize.entities import EntityMap
from review_app.core.localize.occurrences import Indexer
from review_app.core.localize.prose.mentions import Mentions
from review_app.core.localize.spellings import Renaming
from review_app.models import Entity, Segment
from review_app.workflows.localization import entities as localization_entities

MIA = Entity("person", "Mia Li", "木村 千代", "千代", "木村", "チヨ キムラ", "Chiyo Kimura")
HANA = Entity("person", "Mia Li", "佐藤 花", "花", "佐藤", "ハナ サトウ", "Hana Sato")


def text(source: str, target: str = "") -> Segment:
    return Segment(
        "s1",
        "airline",
        "tasks.json",
        "tasks.json#0/x",
        "task",
        "",
        0,
        source,
        "",
        target or None,
        1,
        "draft",
        1,
        0,
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("あなたは木村 千代です。", "あなたは佐藤 花です。"),
        ("木村千代様と千代・木村", "佐藤花様と花・佐藤"),
        ("IDは chiyo_kimura_3668 です", "IDは hana_sato_3668 です"),
        ("chiyo.kimura7741@example.com", "hana.sato7741@example.com"),
        ("Chiyo KimuraとKimura Chiyo", "Hana SatoとSato Hana"),
    ],
)
def test_every_form_of_a_person_is_replaced(old, new):
    renaming = Renaming([(MIA, HANA)])
    assert renaming.outdated(text("", old)) == "Mia Li"
    assert renaming.applied(text("", old)) == new


@pytest.mark.parametrize("kept", ["木村様", "machiyo_kimura_1", "千代田区", ""])
def test_what_is_not_the_person_stays(kept):
    assert Renaming([(MIA, HANA)]).outdated(text("", kept)) == ""


def test_a_person_without_romanized_form_replaces_no_marks():
    bare = Entity("person", "Mia Li", "木村 千代", "千代", "木村")
    assert Renaming([(bare, HANA)]).applied(text("", "a_b, c.d")) == "a_b, c.d"


def test_names_that_change_places_are_swapped():
    noah_old = Entity("person", "Noah Kim", "佐藤 花", "花", "佐藤", "", "Hana Sato")
    noah_new = Entity("person", "Noah Kim", "木村 千代", "千代", "木村", "", "Chiyo Kimura")
    renaming = Renaming([(MIA, HANA), (noah_old, noah_new)])
    assert renaming.applied(text("", "木村 千代と佐藤 花")) == "佐藤 花と木村 千代"


def test_a_common_word_counts_only_where_the_source_has_it():
    renaming = Renaming(
        [(Entity("option", "color=black", "黒"), Entity("option", "color=black", "ブラック"))]
    )
    assert renaming.applied(text("the black one", "黒いもの")) == "ブラックいもの"
    assert renaming.outdated(text("a blackboard", "黒板")) == "color=black"
    assert renaming.outdated(text("the eye", "黒目")) == ""


# -- occurrences -------------------------------------------------------------------------------


def index_of(domain: str, entities: list[Entity]):
    mapped = EntityMap(entities, localization_entities.locale("ja"))
    mentions = Mentions(mapped, Glossary([], "ja"), domain, mapped.locale.money)
    return Indexer(localization_entities.rules(domain), mapped, mentions)


def test_a_person_is_found_in_records_calls_and_texts():
    indexer = index_of("airline", [MIA, Entity("given_name", "Mia", "千代")])
    person = {"first_name": "Mia", "last_name": "Li"}
    indexer.add_database(
        "db.json",
        "database",
        {
            "users": {
                "mia_li_1": {"user_id": "mia_li_1", "name": person, "email": "mia.li2@a.com"}
            },
            "reservations": {"ABC": {"user_id": "mia_li_1", "passengers": [person]}},
        },
    )
    call = {"name": "get_user_details", "arguments": {"user_id": "mia_li_1"}}
    indexer.add_task("tasks.json", {"id": "7", "evaluation_criteria": {"actions": [call]}})
    indexer.add_text(text("Your name is Li, Mia."))
    found = indexer.index()["person", "Mia Li"]
    assert [each.address for each in found] == [
        "users/mia_li_1",
        "reservations/ABC",
        "7/evaluation_criteria/actions/0",
        "tasks.json#0/x",
    ]
    assert [each.task for each in found] == ["", "", "7", ""]
    assert found[-1].segment == "s1"
    assert indexer.index()["given_name", "Mia"] == found


def test_addresses_products_and_options_are_found_by_their_parts():
    rows = [
        Entity("street", "Sunset Drive", "夕日町"),
        Entity("zip", "10001", "530-0001"),
        Entity("product", "Laptop", "ノートパソコン"),
        Entity("option", "color=black", "黒"),
    ]
    indexer = index_of("retail", rows)
    address = {"address1": "975 Sunset Drive", "zip": "10001", "city": "Nowhere"}
    items = [{"name": "Laptop", "options": {"color": "black", "size": "L"}}]
    indexer.add_database(
        "db.json", "database", {"orders": {"#W1": {"address": address, "items": items}}}
    )
    indexer.add_text(text("Send it to 975 Sunset Drive for $25."))
    found = indexer.index()
    assert [each.address for each in found["street", "Sunset Drive"]] == [
        "orders/#W1",
        "tasks.json#0/x",
    ]
    assert {key: len(places) for key, places in found.items()} == {
        ("zip", "10001"): 1,
        ("street", "Sunset Drive"): 2,
        ("product", "Laptop"): 1,
        ("option", "color=black"): 1,
        ("amount", "$25"): 1,
    }
