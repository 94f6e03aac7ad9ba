"""Who stands for whom, read off published tasks."""

from __future__ import annotations

from dataclasses import replace

from review_app.core.locale.names import NamePool, PoolName
from review_app.core.localize.published_names import infer
from review_app.workflows.localization import entities

POOL = NamePool(
    given=(PoolName("千代", "チヨ", "Chiyo"), PoolName("浩", "ヒロシ", "Hiroshi")),
    family=(PoolName("木村", "キムラ", "Kimura"), PoolName("山下", "ヤマシタ", "Yamashita")),
)


def task(number: str, said: str, **arguments: object) -> dict:
    action = {"action_id": f"{number}_0", "name": "book_reservation", "arguments": arguments}
    return {
        "id": number,
        "user_scenario": {"instructions": {"known_info": said}},
        "evaluation_criteria": {"actions": [action]},
    }


def who(first: str, last: str) -> list[dict]:
    return [{"first_name": first, "last_name": last}]


def inferred(source, published, people=("Mia Li", "Noah O'Hara")):
    locale = replace(entities.locale("ja"), entities_text="")
    rules = entities.rules("airline")
    return infer(rules, source, published, people=people, locale=locale, pool=POOL)


def test_passengers_give_written_names_and_ids_romanized_ones():
    done = inferred(
        [task("0", "", user_id="mia_li_1", passengers=who("Mia", "Li"))],
        [task("0", "", user_id="chiyo_kimura_1", passengers=who("千代", "木村"))],
    )
    [row] = done.rows
    assert (row.source, row.target, row.given, row.family) == (
        "Mia Li",
        "木村 千代",
        "千代",
        "木村",
    )
    assert (row.reading, row.romanized, row.origin) == ("チヨ キムラ", "Chiyo Kimura", "inferred")
    assert done.problems == ()


def test_a_user_known_by_id_alone_is_written_as_the_published_text_says():
    done = inferred(
        [task("0", "Your id is noah_ohara_7.")],
        [task("0", "あなたは山下 浩です。IDは hiroshi_yamashita_7 です。")],
    )
    [row] = done.rows
    assert (row.source, row.target, row.romanized) == (
        "Noah O'Hara",
        "山下 浩",
        "Hiroshi Yamashita",
    )


def test_nothing_is_guessed_where_no_text_has_the_name():
    done = inferred(
        [task("0", "", user_id="mia_li_1")], [task("0", "浩です", user_id="hiroshi_yamashita_1")]
    )
    assert done.rows == ()
    assert "no text says how 'Hiroshi Yamashita' is written" in str(done.problems[0])


def test_ids_with_other_digits_are_not_the_same_user():
    done = inferred(
        [task("0", "", user_id="mia_li_1")], [task("0", "木村 千代", user_id="chiyo_kimura_2")]
    )
    assert (done.rows, done.problems) == ((), ())


def test_a_person_with_two_names_is_told_and_left_out():
    done = inferred(
        [task(n, "", passengers=who("Mia", "Li")) for n in "01"],
        [
            task("0", "", passengers=who("千代", "木村")),
            task("1", "", passengers=who("浩", "山下")),
        ],
    )
    assert done.rows == ()
    assert tuple(map(str, done.problems)) == (
        "'Mia Li' has several names: 千代 木村 (task 0); 浩 山下 (task 1)",
    )


def test_of_two_people_with_one_name_the_one_in_arguments_counts():
    done = inferred(
        [
            task("0", "You are noah_ohara_7"),
            task("1", "", user_id="mia_li_1", passengers=who("Mia", "Li")),
        ],
        [
            task("0", "木村 千代 chiyo_kimura_7"),
            task("1", "", user_id="chiyo_kimura_1", passengers=who("千代", "木村")),
        ],
    )
    assert [row.source for row in done.rows] == ["Mia Li"]
    assert len(done.problems) == 1


def test_calls_that_are_not_the_same_are_not_compared():
    source = [task("0", "", passengers=who("Mia", "Li"))]
    published = [task("0", "", passengers=who("千代", "木村"))]
    published[0]["evaluation_criteria"]["actions"][0]["action_id"] = "0_9"
    assert inferred(source, published).rows == ()
