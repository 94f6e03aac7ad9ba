"""What must hold of the people of a localized domain: their names fit what texts say of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from review_app.core.locale.names import Gender, NamePool
from review_app.core.localize.entities import EntityMap
from review_app.core.localize.published_names import NamePair
from review_app.core.proof.leftovers import ProofViolation


def misgendered(
    entities: EntityMap, stated: Mapping[NamePair, Gender], pool: NamePool
) -> Iterator[ProofViolation]:
    """People who are called he or she in texts, and have a given name of the other gender.

    Nothing that is drawn is so; what a person, a file or published tasks say stays as it is.

    Args:
        entities: Of the domain.
        stated: Given and family name in the source -> what texts say.
        pool: The names of the target; one that it does not know contradicts nothing.
    """
    for (given, family), gender in stated.items():
        row = entities.get("person", f"{given} {family}")
        if row is None or pool.suits(row.given, gender):
            continue
        message = f"{row.source!r} is {gender} in the texts, but {row.given!r} is no such name"
        yield ProofViolation(
            code="LOC012",
            severity="warning",
            where="entity",
            record="person",
            field=row.target,
            message=message,
            values={"source": row.source, "target": row.target},
        )
