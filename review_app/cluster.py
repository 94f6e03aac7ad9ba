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
from review_app.notices import Notice

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["Cluster", "connect"]

Value = TypeVar("Value")
CONNECT_S = 15.0


class Cluster:
    """Workers that run functions. Belongs to one event loop."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def share(self, value: Value) -> Value:
        """Give every worker a value once; what comes back stands for it in calls."""
        shared: Value = await self._client.scatter(value, broadcast=True, hash=False)
        return shared

    async def call(self, function: Callable[..., Value], *arguments: Any) -> Value:
        """What a function of this package makes of arguments on some worker.

        Raises:
            ReviewError: worker after worker died over it.
        """
        from distributed import KilledWorker

        future = self._client.submit(function, *arguments, pure=False)
        try:
            result: Value = await future
        except KilledWorker as error:
            raise ReviewError(
                "cluster.workers_die",
                "the cluster's workers die: see their logs ({problem})",
                problem=str(error),
            ) from None
        finally:
            future.release()
        return result


@asynccontextmanager
async def connect(address: str) -> AsyncIterator[Cluster]:
    """Workers behind a scheduler during the block.

    Args:
        address: `tcp://host:port`.

    Raises:
        BadInput: the extra is not installed, or nobody answers there.
    """
    if find_spec("distributed") is None:
        raise BadInput(
            Notice(
                "cluster.not_installed",
                "a cluster needs the extra: pip install 'jtau-review[cluster]'",
            )
        )
    from distributed import Client

    try:
        client = await Client(address, asynchronous=True, timeout=CONNECT_S)
    except (OSError, TimeoutError, ValueError) as error:
        problem = Notice(
            "cluster.no_scheduler", "no Dask scheduler answers ({problem})", problem=str(error)
        )
        raise BadInput(problem, address) from None
    try:
        yield Cluster(client)
    finally:
        await client.close()
