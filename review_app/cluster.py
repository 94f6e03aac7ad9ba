"""The door to a cluster, the only importer of Dask (the extra `cluster`).

Workers only compute: they get plain data and give plain data back; nobody but the caller writes.
What a lost worker was doing is done again by another one.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeVar

from review_app.errors import BadInput, ReviewError

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["Cluster", "connect"]

Made = TypeVar("Made")
CONNECT_S = 15.0


class Cluster:
    """Workers that run functions. Belongs to one event loop."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def share(self, value: Made) -> Made:
        """Give every worker a value once; what comes back stands for it in calls."""
        shared: Made = await self._client.scatter(value, broadcast=True, hash=False)
        return shared

    async def call(self, function: Callable[..., Made], *arguments: Any) -> Made:
        """What a function of this package makes of arguments on some worker.

        Raises:
            ReviewError: worker after worker died over it.
        """
        from distributed import KilledWorker

        future = self._client.submit(function, *arguments, pure=False)
        try:
            made: Made = await future
        except KilledWorker as error:
            raise ReviewError(f"the cluster's workers die: see their logs ({error})") from None
        finally:
            future.release()
        return made


@asynccontextmanager
async def connect(address: str) -> AsyncIterator[Cluster]:
    """Workers behind a scheduler during the block.

    Args:
        address: `tcp://host:port`.

    Raises:
        BadInput: the extra is not installed, or nobody answers there.
    """
    if find_spec("distributed") is None:
        raise BadInput("a cluster needs the extra: pip install 'jtau-review[cluster]'")
    from distributed import Client

    try:
        client = await Client(address, asynchronous=True, timeout=CONNECT_S)
    except (OSError, TimeoutError, ValueError) as error:
        raise BadInput(f"no Dask scheduler answers ({error})", address) from None
    try:
        yield Cluster(client)
    finally:
        await client.close()
