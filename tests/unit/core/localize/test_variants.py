"""Recipes of variants, the packs they make, and what a derivation keeps."""

from __future__ import annotations

from dataclasses import replace

import pytest
from localized_sample import DATA, VARIANTS, database, ground, sample

from review_app.core.localize.derivation import derive
from review_app.core.localize.variants import chosen, mixed_pack, parse_variants
from review_app.errors import BadInput, NotFound

TEXT = (DATA / "variants.toml").read_text("utf-8")
DOMAINS = ("airline", "retail", "telecom")


def packs(domain, variant):
    here = ground(domain, "ja")
    return (
        here.source,
        here.pack,
        mixed_pack(here.source, here.pack, VARIANTS[variant], here.locale.money),
    )


@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize("variant", ["tau", "tau*"])
def test_the_source_variants_have_the_source_pack(domain, variant):
    source, _, made = packs(domain, variant)
    assert made == source
    assert VARIANTS[variant].is_source


@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize("variant", ["j-tau", "j-tau-en-user", "j-tau-no-json"])
def test_the_target_variants_have_the_target_pack(domain, variant):
    _, target, made = packs(domain, variant)
    assert made == target
    assert not VARIANTS[variant].is_source


@pytest.mark.parametrize("domain", DOMAINS)
def test_english_tools_have_english_words_but_yen_and_japanese_places(domain):
    source, target, made = packs(domain, "j-tau-en-tool")
    assert made.words == source.words and made.escape == source.escape
    assert (made.amounts, made.keys, made.places) == (target.amounts, target.keys, target.places)
    assert made.messages.keys() == source.messages.keys()
    assert not any(sign in text for text in made.messages.values() for sign in ("$", "USD", "円"))
    named = ("$", "USD")
    plain = {n: text for n, text in source.messages.items() if not any(s in text for s in named)}
    assert {name: made.messages[name] for name in plain} == plain
    changed = [text for name, text in made.messages.items() if text != source.messages[name]]
    assert all("JPY" in text for text in changed)
    assert bool(changed) == (domain == "telecom")


@pytest.mark.parametrize("domain", DOMAINS)
def test_a_machine_translation_refuses_in_english_and_answers_in_the_target(domain):
    source, target, made = packs(domain, "mt-only")
    for name, text in made.messages.items():
        assert text == (source if name in source.errors else target).messages[name]
    assert (made.words, made.amounts, made.keys, made.places) == (
        source.words,
        source.amounts,
        source.keys,
        source.places,
    )


def test_the_recipes_of_the_paper_are_there_in_its_order_and_then_the_repaired_source():
    assert list(VARIANTS) == [
        "tau",
        "tau*",
        "j-tau",
        "j-tau-en-tool",
        "j-tau-en-user",
        "j-tau-no-json",
        "mt-only",
        "tau-repaired",
    ]
    differing = {
        name: [
            member
            for member in (
                "texts",
                "guideline",
                "descriptions",
                "values",
                "returns",
                "errors",
                "entities",
                "fixes",
                "json_instruction",
            )
            if getattr(VARIANTS[name], member) != getattr(VARIANTS["j-tau"], member)
        ]
        for name in ("j-tau-en-tool", "j-tau-en-user", "j-tau-no-json", "mt-only")
    }
    assert differing == {
        "j-tau-en-tool": ["descriptions", "values", "returns", "errors"],
        "j-tau-en-user": ["guideline"],
        "j-tau-no-json": ["json_instruction"],
        "mt-only": ["guideline", "values", "errors", "entities", "fixes"],
    }


@pytest.mark.parametrize(
    ("old", "new", "address", "problem"),
    [
        ("[tau]", "[tau", "", "not TOML"),
        ('[tau]\nabout = "', '[tau]\nextra = 1\nabout = "', "tau", "'extra' is missing or unknown"),
        ('scoring = "upstream"\n', "", "tau", "'scoring' is missing or unknown"),
        ('texts = "source"', 'texts = "sauce"', "tau.texts", "'sauce' is not a Side"),
        ("fixes = false", 'fixes = "no"', "tau.fixes", "'no' is not a bool"),
        ('scoring = "upstream"', "scoring = 1", "tau.scoring", "1 is not a str"),
        ("[tau]", "odd = 1\n[tau]", "odd", "must be a table"),
    ],
)
def test_a_broken_recipe_is_refused_with_file_and_address(old, new, address, problem):
    assert old in TEXT
    with pytest.raises(BadInput, match=problem) as caught:
        parse_variants(TEXT.replace(old, new, 1), "mine.toml")
    assert (caught.value.file, caught.value.address) == ("mine.toml", address)


def test_an_unknown_variant_lists_the_known_ones():
    assert chosen(VARIANTS, "tau*") is VARIANTS["tau*"]
    with pytest.raises(NotFound, match=r"'x'.*tau, tau\*, j-tau"):
        chosen(VARIANTS, "x")


# -- derivations -------------------------------------------------------------------------------


@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize("variant", ["tau", "tau*"])
def test_the_source_variants_change_no_value(domain, variant):
    here = sample(domain, "ja", variant)
    assert here.localizer.database(database(domain)) == database(domain)
    assert here.derivation.mentions.find("Mia Li, $50, Apt 5, USA, 3pm EST, JFK, travel mug") == []


@pytest.mark.parametrize("domain", ["airline", "telecom"])
def test_a_machine_translation_changes_no_value_of_the_database(domain):
    assert sample(domain, "ja", "mt-only").localizer.database(database(domain)) == database(domain)


def test_a_machine_translation_translates_products_and_options_only():
    tree = database("retail")
    made = sample("retail", "ja", "mt-only").localizer.database(tree)
    assert made["users"] == tree["users"]
    name, product = next(iter(tree["products"].items()))
    assert made["products"][name]["name"] != product["name"]


def test_english_tools_keep_words_but_not_places():
    here = sample("airline", "ja", "j-tau-en-tool")
    assert here.derivation.mentions.adapted("basic_economy from JFK for $50 at 3pm EST") == (
        "basic_economy from HND for 7,500円 at 3pm JST"
    )


@pytest.mark.parametrize(
    ("variant", "sides"),
    [
        ("j-tau", ["target"] * 5),
        ("j-tau-en-tool", ["target", "target", "source", "source", "source"]),
        ("j-tau-en-user", ["target", "source", "target", "target", "target"]),
        ("mt-only", ["target", "source", "target", "target", "target"]),
        ("tau", ["source"] * 5),
    ],
)
def test_every_kind_of_text_is_on_its_side(variant, sides):
    derivation = sample("retail", "ja", variant).derivation
    kinds = ("task", "guideline", "tool", "database", "message")
    assert [derivation.side(kind) for kind in kinds] == sides


def test_a_text_is_the_translation_or_an_adapted_source_that_is_reported():
    derivation = sample("retail").derivation
    assert derivation.text("policy", "It costs $50.", "50ドルです。") == ("50ドルです。", False)
    assert derivation.text("policy", "It costs $50.", None) == ("It costs 7,500円.", True)
    english = sample("retail", "ja", "j-tau-en-tool").derivation
    assert english.text("tool", "It costs $50.", "7,500円です。") == ("It costs 7,500円.", False)


def test_a_machine_translation_gets_source_entities_amounts_and_values_back():
    ids = [("user_id", "clara_wexford_2741")]
    here = ground("retail", "ja")
    derivation = derive(here, VARIANTS["mt-only"], {}, ids)
    clara = next(row for row in here.entities if row.source == "Clara Wexford")
    status = here.pack.word("order_status", "pending")
    translated = f"{clara.target}様は7,500円の「{status}」です。{clara.family}・{clara.given}"
    assert derivation.text("task", "", translated) == (
        "Clara Wexford様は$50の「pending」です。Clara Wexford",
        False,
    )


def test_translated_texts_of_the_database_are_used_where_returns_are_translated():
    here = ground("telecom", "ja")
    texts = {"Basic Plan": "基本"}
    assert derive(here, VARIANTS["j-tau"], texts).localizer.prose("Basic Plan") == "基本"
    assert derive(here, VARIANTS["j-tau-en-tool"], texts).localizer.prose("Basic Plan") == (
        "Basic Plan"
    )


def test_a_variant_of_any_recipe_can_be_derived():
    odd = replace(VARIANTS["j-tau"], name="odd", values="source")
    derivation = derive(ground("airline", "ja"), odd, {})
    assert derivation.localizer.word("cabin", "business") == "business"
    assert derivation.restored("「ビジネス」です") == "「business」です"
