"""Statements of loaded documents: asked of a model chunk by chunk, stored document by document."""

from __future__ import annotations

import hashlib
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from pyoxigraph import Literal, NamedNode, RdfFormat, Triple, serialize

from loaders import publish
from loaders.extract import graph, report
from loaders.extract.asking import Asking, asking
from loaders.extract.budget import Budget
from loaders.extract.document import Chunk, Document
from loaders.extract.facts import Answer, Fact, Facts, Left
from loaders.extract.replies import Replies
from loaders.extract.reply import Extraction
from loaders.extract.report import Estimate, Report
from loaders.extract.schema import Schema
from loaders.extract.shapes import Shapes
from loaders.identity.names import entity, normalise
from loaders.iris import Iris
from loaders.ledger import Ledger, Source
from loaders.ports import Chat, NoReply, Spent
from loaders.sources.recognise import Kind
from ontology.imports import SHIPPED
from ontology.vocabulary import ONTO
from queries import library
from queries.store.client import Store

_VERSION = "1"  # grows when the same replies would give other triples
_SECONDS = 300.0
_DOCUMENTS = {kind.media_type for kind in Kind if not kind.is_rdf}

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Wishes:
    """How to extract: `bound` to the live ontology and `shapes` or not, with what expert's advice.

    `parallel` is how many chunks are asked about at once, `seconds` the time for a whole run.
    """

    bound: bool = True
    guidance: str = ""
    shapes: Path = SHIPPED / "shapes.ttl"
    parallel: int = 4
    seconds: float = 3600.0


@dataclass(frozen=True, slots=True)
class _Reply:
    """What became of one chunk: a reply, asked for or kept, or the reason for having none."""

    chunk: Chunk
    extraction: Extraction | None = None
    asked: str = ""
    reason: str = ""
    spent: Spent | None = None
    waits: bool = False


@dataclass(frozen=True, slots=True)
class _Work:
    """A document to extract from: its prompts, what its statements are to be made of, and what
    they were made of `before`, when they were `held` triples.
    """

    source: Source
    document: Document
    askings: tuple[Asking, ...]
    keys: tuple[str, ...]
    signature: str
    before: str
    held: int


class Extractor:
    """Extracts from loaded documents; what was done before is neither asked nor written again."""

    def __init__(
        self, store: Store, iris: Iris, chat: Chat, replies: Replies, wishes: Wishes
    ) -> None:
        self._store = store
        self._iris = iris
        self._chat = chat
        self._replies = replies
        self._wishes = wishes
        ontology = self._graph(iris.ontology) if wishes.bound else []
        schema = Schema.from_triples(ontology)
        self._schema = schema if schema.properties else None  # one without any binds to nothing
        self._shapes = Shapes.from_file(wishes.shapes, ontology) if self._schema else None
        self._budget = Budget(wishes.seconds)

    def extract(
        self, addresses: Iterable[str], progress: Progress = lambda *_: None
    ) -> Iterator[Report]:
        """What became of each document among the addresses; others are passed over.

        `progress` is told the document, how many of its chunks are done, and how many there are.
        """
        sources = Ledger.from_store(self._store, self._iris).sources
        self._replies.retain(sources)
        for address in dict.fromkeys(addresses):
            source = sources.get(address)
            if source and source.kind in _DOCUMENTS:
                yield self._extract(source, progress)

    def estimate(self, documents: Iterable[tuple[str, Document]]) -> Iterator[Estimate]:
        """What each document would take, by its address; nothing is asked."""
        for address, document in documents:
            wanted = [(chunk, self._asking(document, chunk)) for chunk in document.chunks]
            known = self._replies.known([one.key(self._chat.model) for _, one in wanted])
            new = [(chunk, one) for chunk, one in wanted if one.key(self._chat.model) not in known]
            count = sum(report.tokens(one.characters, len(chunk.text)) for chunk, one in new)
            yield Estimate(address, document.title, len(wanted), len(new), count)

    def _extract(self, source: Source, progress: Progress) -> Report:
        start = time.perf_counter()
        work = self._work(source)
        title = work.document.title
        if work.before == work.signature:
            return Report(source.address, title, len(work.askings), unchanged=True)
        replies = self._ask(work, progress)
        told = _told(work, replies)
        if any(one.waits for one in replies):
            return replace(told, stopped=self._budget.over)
        told = self._publish(work, replies, told)
        self._replies.settle(source.address, work.keys, told.kept_apart)
        return replace(told, seconds=time.perf_counter() - start)

    def _work(self, source: Source) -> _Work:
        document = Document.from_triples(self._graph(self._iris.graph(source.address)))
        askings = tuple(self._asking(document, chunk) for chunk in document.chunks)
        keys = tuple(one.key(self._chat.model) for one in askings)
        shapes = self._shapes.text.decode("utf-8", "replace") if self._shapes else ""
        parts = (_VERSION, source.hash, shapes, *keys)
        signature = hashlib.sha256("\n".join(parts).encode()).hexdigest()
        return _Work(source, document, askings, keys, signature, *self._before(source))

    def _publish(self, work: _Work, replies: Sequence[_Reply], told: Report) -> Report:
        """Put the facts in the place of those of before, in one step."""
        answers = [
            Answer(one.chunk, one.extraction, one.asked) for one in replies if one.extraction
        ]
        kinds = self._kinds(work.source, answers)
        facts = Facts(work.document, self._schema, self._iris.base, self._titles(), kinds)
        read: Sequence[Fact | Left] = list(facts.read(answers))
        if self._shapes:
            read = self._shapes.sift(read)
        found = [one for one in read if isinstance(one, Fact)]
        target = self._iris.statements(work.source.address)
        made = set(graph.triples(work.document, found, self._chat.model, self._iris.base))
        if not told.failed:
            made.add(Triple(target, ONTO.contentHash, Literal(work.signature)))
        count = len(made) + 1
        made.add(Triple(target, ONTO.tripleCount, Literal(count)))
        data = serialize(made, format=RdfFormat.N_TRIPLES) or b""
        entry = replace(work.source, triples=work.source.triples - work.held + count)
        stored = publish.attach(self._store, self._iris, entry, target, data)
        return replace(
            told,
            facts=len(found),
            triples=count,
            left=tuple(one for one in read if isinstance(one, Left)),
            stopped="" if stored else "the document was replaced or removed meanwhile",
        )

    def _ask(self, work: _Work, progress: Progress) -> list[_Reply]:
        """A reply for each chunk; an interrupt lets those that are under way come to their end."""
        done: list[_Reply] = []
        pairs = list(zip(work.document.chunks, work.askings, strict=True))
        with ThreadPoolExecutor(self._wishes.parallel) as pool:
            try:
                for one in pool.map(lambda pair: self._reply(work.source, *pair), pairs):
                    done.append(one)
                    progress(work.document.title, len(done), len(pairs))
            except BaseException:
                self._budget.stop("it was interrupted")
                raise
        return done

    def _reply(self, source: Source, chunk: Chunk, wanted: Asking) -> _Reply:
        key = wanted.key(self._chat.model)
        if kept := self._replies.get(key, source.address):
            return _Reply(chunk, *kept)
        if reason := self._budget.over:
            return _Reply(chunk, reason=reason, waits=True)
        try:
            found, spent = self._chat.ask(wanted.instruction, wanted.request, Extraction)
        except NoReply as error:
            self._budget.told(good=False)
            return _Reply(chunk, reason=str(error))
        self._budget.told(good=True)
        asked = self._replies.put(key, source.address, found)
        return _Reply(chunk, found, asked, spent=spent)

    def _asking(self, document: Document, chunk: Chunk) -> Asking:
        return asking(document, chunk, self._schema, self._wishes.guidance)

    def _before(self, source: Source) -> tuple[str, int]:
        """From what the document's statements were made ("" for none), and how many triples."""
        target = self._iris.statements(source.address)
        query = library.load("extract/signatures").bind(graph=[target])
        for _, triples, made in self._store.select(query).rows:
            return getattr(made, "value", ""), int(getattr(triples, "value", 0))
        return "", 0

    def _graph(self, name: NamedNode) -> list[Triple]:
        query = library.load("extract/graph").bind(graph=[name])
        return self._store.construct(query, deadline=_SECONDS)

    def _kinds(
        self, source: Source, answers: Iterable[Answer]
    ) -> Mapping[NamedNode, Collection[NamedNode]]:
        """The classes that other sources give to things of the names in the answers."""
        said = [one for answer in answers for one in answer.extraction.statements]
        nodes = {
            entity(name, self._iris.base) for one in said for name in (one.subject, one.object)
        }
        query = library.load("extract/kinds").bind(
            entity=nodes, statements=[self._iris.statements(source.address)]
        )
        kinds: dict[NamedNode, set[NamedNode]] = defaultdict(set)
        for node, kind in self._store.select(query, deadline=_SECONDS).rows:
            if isinstance(node, NamedNode) and isinstance(kind, NamedNode):
                kinds[node].add(kind)
        return kinds

    def _titles(self) -> Mapping[str, NamedNode]:
        rows = self._store.select(library.load("extract/titles").bind()).rows
        return {
            normalise(getattr(title, "value", "")): node
            for node, title in rows
            if isinstance(node, NamedNode)
        }


def _told(work: _Work, replies: Sequence[_Reply]) -> Report:
    """What the replies cost, and which chunks have none."""
    spent = [one.spent for one in replies if one.spent]
    return Report(
        work.source.address,
        work.document.title,
        chunks=len(replies),
        asked=len(spent),
        kept=sum(one.extraction is not None for one in replies) - len(spent),
        calls=sum(one.calls for one in spent),
        tokens=sum(one.tokens for one in spent),
        failed=tuple((one.chunk.position, one.reason) for one in replies if one.reason),
    )
