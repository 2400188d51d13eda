"""The only wiring: from the settings to the store, the index, the models and the answering."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from loaders.iris import Iris
from loaders.ports import Embedder
from queries.store import Store, open_embedded, open_remote
from queries.store.endpoints import Endpoints
from service.answering.answer import Answering, Writer
from service.answering.facts import Facts
from service.answering.generate import ModelWriter
from service.answering.passages import PassageAnswers
from service.answering.sources import Sources
from service.datafolder import open_folder
from service.index.index import Index
from service.models.chat import Chat
from service.models.embedding import open_embedder
from service.models.kept import KeptEmbedder
from service.settings import Settings


@dataclass(frozen=True, slots=True)
class Askonto:
    """What the borders need; closing it closes all that it was built of."""

    settings: Settings
    store: Store
    index: Index
    embedder: Embedder | None
    answering: Answering
    resources: ExitStack = field(default_factory=ExitStack)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of threads, files and the store."""
        self.resources.close()


def open_store(settings: Settings) -> Store:
    """The store that the settings name, else the embedded one of the data folder."""
    if settings.store is None:
        folder = open_folder(settings.data) / "store"
        return open_embedded(folder, deadline=settings.store_seconds)
    base = Endpoints.from_base(
        settings.store, user=settings.store_user or "", password=settings.store_password or ""
    )
    endpoints = Endpoints(
        settings.store_sparql or base.query,
        settings.store_update or base.update,
        settings.store_data or base.data,
        base.user,
        base.password,
    )
    return open_remote(endpoints, deadline=settings.store_seconds)


@contextmanager
def open_index(
    settings: Settings, store: Store, embedder: Embedder | None = None
) -> Iterator[Index]:
    """The index of the data folder; without an embedder it is the lexical half of it."""
    index = Index(open_folder(settings.data) / "index", store, settings.base_iri, embedder)
    try:
        yield index
    finally:
        index.close()


def open_askonto(settings: Settings) -> Askonto:
    """All of it; a part that cannot be opened closes what was opened before it."""
    with ExitStack() as stack:
        store = stack.enter_context(open_store(settings))
        embedder = _embedder(settings)
        index = stack.enter_context(open_index(settings, store, embedder))
        answering = Answering(
            index=index,
            sources=Sources(store, Iris(settings.base_iri)),
            facts=Facts(store, index, settings.data / "index", embedder),
            passages=PassageAnswers(index),
            embedder=embedder,
            writer=_writer(settings, stack),
        )
        stack.callback(answering.close)
        return Askonto(settings, store, index, embedder, answering, stack.pop_all())


def _embedder(settings: Settings) -> Embedder | None:
    embedder = open_embedder(
        settings.embedding_url,
        settings.embedding_model,
        settings.embedding_key,
        seconds=settings.embedding_seconds,
    )
    return embedder and KeptEmbedder(embedder, settings.data / "questions.sqlite")


def _writer(settings: Settings, stack: ExitStack) -> Writer | None:
    if not settings.chat_url or not settings.chat_model:
        return None
    chat = Chat(
        settings.chat_url, settings.chat_model, settings.chat_key, seconds=settings.chat_seconds
    )
    stack.callback(chat.close)
    return ModelWriter(chat)
