"""The only wiring: from the settings to the store, the index, the models and the answering."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from loaders.iris import Iris
from loaders.ports import Embedder
from ontology.imports import SHIPPED
from queries.store import Store, open_embedded, open_remote
from queries.store.endpoints import Endpoints
from service.answering.answer import Answering, Writer
from service.answering.facts import Facts
from service.answering.passages import PassageAnswers
from service.answering.sources import Sources
from service.datafolder import open_folder
from service.index.index import Index
from service.models.embedding import open_embedder
from service.models.kept import KeptEmbedder
from service.settings import Settings, SettingsError, variable

if TYPE_CHECKING:
    from loaders.extract.replies import Replies
    from loaders.extract.run import Extractor
    from service.models.chat import Chat


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
    endpoints = replace(
        base,
        query=settings.store_sparql or base.query,
        update=settings.store_update or base.update,
        data=settings.store_data or base.data,
    )
    return open_remote(endpoints, deadline=settings.store_seconds)


def open_other(url: str, settings: Settings, *, user: str | None, password: str | None) -> Store:
    """A store that a command names, in the place of the settings' own."""
    endpoints = Endpoints.from_base(url, user=user or "", password=password or "")
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
        embedder = embedder_from(settings)
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


def embedder_from(settings: Settings) -> Embedder | None:
    """The embedding model that the settings name, else the local one, else none."""
    embedder = open_embedder(
        settings.embedding_url,
        settings.embedding_model,
        settings.embedding_key,
        seconds=settings.embedding_seconds,
    )
    return embedder and KeptEmbedder(embedder, settings.data / "questions.sqlite")


@contextmanager
def open_extractor(settings: Settings, store: Store, *, bound: bool) -> Iterator[Extractor]:
    """What extracts statements with the chat model, `bound` to the ontology or not."""
    if not settings.chat_url or not settings.chat_model:
        raise SettingsError(
            "is missing, and extraction asks a chat model",
            name=variable("chat_url"),
            mend="Name the service, and its model in ASKONTO_CHAT_MODEL",
        )
    from loaders.extract.run import Extractor, Wishes  # noqa: PLC0415  openai takes a second
    from service.models.asking import ShapedChat  # noqa: PLC0415

    wishes = Wishes(
        bound=bound,
        guidance=_guidance(settings.extract_guidance),
        shapes=(settings.ontology or SHIPPED) / "shapes.ttl",
        parallel=settings.extract_parallel,
        seconds=settings.extract_seconds,
    )
    with ExitStack() as stack:
        chat = ShapedChat(_chat(settings.chat_url, settings.chat_model, settings, stack))
        replies = stack.enter_context(open_replies(settings))
        yield Extractor(store, Iris(settings.base_iri), chat, replies, wishes)


def open_replies(settings: Settings) -> Replies:
    """The chat model's replies that are kept in the data folder."""
    from loaders.extract.replies import Replies  # noqa: PLC0415  pydantic takes its time

    return Replies(open_folder(settings.data) / "replies.db")


def _guidance(path: Path | None) -> str:
    try:
        return path.read_text(encoding="utf-8").strip() if path else ""
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(
            f"{path} cannot be read: {error}",
            name=variable("extract_guidance"),
            mend="Name a text file in UTF-8",
        ) from None


def _chat(url: str, model: str, settings: Settings, stack: ExitStack) -> Chat:
    from service.models.chat import Chat  # noqa: PLC0415  openai takes a second

    chat = Chat(url, model, settings.chat_key, seconds=settings.chat_seconds)
    stack.callback(chat.close)
    return chat


def _writer(settings: Settings, stack: ExitStack) -> Writer | None:
    if not settings.chat_url or not settings.chat_model:
        return None
    from service.answering.generate import ModelWriter  # noqa: PLC0415  as in _chat

    return ModelWriter(_chat(settings.chat_url, settings.chat_model, settings, stack))
