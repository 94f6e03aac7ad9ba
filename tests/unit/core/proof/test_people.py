"""A name that contradicts the he or she of the texts is a warning."""

from __future__ import annotations

from localized_sample import words

from review_app.core.proof.people import misgendered
from review_app.models import Entity
from review_app.workflows.localization import entities

MIA = Entity("person", "Mia Li", "木村 修平", "修平", "木村")
ANN = Entity("person", "Ann Berg", "森 葵", "葵", "森")


def test_a_name_of_the_other_gender_is_a_warning_and_a_name_of_everybody_is_none():
    stated = {("Mia", "Li"): "female", ("Ann", "Berg"): "male", ("Lee", "Berg"): "male"}
    pool = entities.locale("ja").name_pool()
    (found,) = misgendered(words(MIA, ANN).entities, stated, pool)
    assert (found.code, found.severity, found.where) == ("LOC012", "warning", "entity")
    assert (found.record, found.field) == ("person", "木村 修平")
    assert "'Mia Li' is female" in found.message
    assert list(misgendered(words(MIA).entities, {("Mia", "Li"): "male"}, pool)) == []
