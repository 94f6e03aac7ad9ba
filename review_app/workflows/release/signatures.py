"""The releases that were built, and who signed them: two different maintainers."""

from __future__ import annotations

from pathlib import Path

from review_app.errors import NotAllowed, NotFound, ReviewError
from review_app.models import Person
from review_app.notices import Notice
from review_app.records.release import Release
from review_app.store import Store
from review_app.workflows.release.build import manifest_hash


def releases(store: Store) -> list[Release]:
    """Every release that was built, the newest first."""
    return store.releases.all()


def named(store: Store, name: str) -> Release:
    """The newest release of a name.

    Raises:
        NotFound: none was built.
    """
    release = store.releases.named(name)
    if release is None:
        known = tuple(dict.fromkeys(known.name for known in store.releases.all()))
        raise NotFound(
            "release.unknown",
            "no release {name!r}; there are: {known!r}",
            name=name,
            known=known or Notice("release.none", "none yet"),
        )
    return release


def sign(store: Store, person: Person, name: str) -> Release:
    """Put a person's name under a release as it lies in its folder.

    Raises:
        NotAllowed: no maintainer.
        NotFound: no such release.
        BadInput: its folder is gone.
        ReviewError: signed by this person already, not complete, or changed since it was built.
    """
    if person.role != "maintainer" or not person.active:
        raise NotAllowed("release.only_maintainers_sign", "a maintainer has to sign a release")
    release = named(store, name)
    if any(signature.person_id == person.id for signature in release.signatures):
        raise ReviewError(
            "release.signed_by_you",
            "you signed {name!r} already: another maintainer has to sign it too",
            name=name,
        )
    if not release.complete:
        raise ReviewError(
            "release.incomplete",
            "{name!r} is not complete: build it anew when nothing blocks it",
            name=name,
        )
    if manifest_hash(Path(release.folder)) != release.manifest_hash:
        raise ReviewError(
            "release.changed_since",
            "{folder} is not as it was built: build it anew",
            folder=release.folder,
        )
    with store.write(person.name):
        store.releases.sign(release.id, person.id)
    return named(store, name)
