"""What a model said of a chunk, as facts about entities, or as what is wrong with it."""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date

from pyoxigraph import Literal, NamedNode

from loaders.extract import evidence, validity, values
from loaders.extract.document import Chunk, Document
from loaders.extract.reply import Extraction, Replacement, Statement
from loaders.extract.schema import Property, Schema, folded
from loaders.extract.validity import Period
from loaders.extract.values import Kind
from loaders.identity import homonyms, names
from loaders.identity.homonyms import Homonyms, Mention
from loaders.identity.places import place
from loaders.text.clean import collapse
from ontology.vocabulary import DCTERMS, ONTO

_LONGEST = 300  # characters of a name


@dataclass(frozen=True, slots=True)
class Named:
    """A class or predicate; `label` is "" for one of the ontology, which labels it itself."""

    node: NamedNode
    label: str = ""
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Entity:
    """A thing: its name as written, and the name from which its node is made.

    `spoken` says whether the name is the text's own; `within` is the known place around a place.
    """

    node: NamedNode
    name: str = ""
    full_name: str = ""
    spoken: bool = True
    kind: Named | None = None
    within: NamedNode | None = None


@dataclass(frozen=True, slots=True)
class Fact:
    """A statement with its evidence; `start` and `end` are offsets in the document."""

    subject: Entity
    predicate: Named
    object: Entity | Literal
    chunk: Chunk
    start: int
    end: int
    valid: Period
    places: tuple[Entity, ...]
    asked: str

    @property
    def quote(self) -> str:
        """The document's own words that say it."""
        return self.chunk.text[self.start - self.chunk.start : self.end - self.chunk.start]


@dataclass(frozen=True, slots=True)
class Left:
    """A statement that is not stored, and why; `apart` where it only misses the ontology."""

    position: int
    reason: str
    statement: str = ""
    apart: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """What the model said of a chunk, and when (xsd:dateTime)."""

    chunk: Chunk
    extraction: Extraction
    asked: str


class _LeftError(Exception):
    def __init__(self, reason: str, *, apart: bool = False) -> None:
        super().__init__(reason)
        self.reason, self.apart = reason, apart


class Facts:
    """Turns what is said of a document's chunks into facts.

    `schema` is the ontology that they must fit, None where new classes and properties may arise;
    `titles` are the documents by normalised title, `kinds` the classes of what others tell of.
    """

    def __init__(
        self,
        document: Document,
        schema: Schema | None,
        base: str,
        titles: Mapping[str, NamedNode],
        kinds: Mapping[NamedNode, Collection[NamedNode]],
    ) -> None:
        self._document = document
        self._schema = schema or Schema(by_name={"c:place": ONTO.Place, "c:luogo": ONTO.Place})
        self._is_open = schema is None
        self._base = base
        self._titles = titles
        self._homonyms = Homonyms(())
        self._elsewhere = kinds
        self._here: dict[NamedNode, set[NamedNode]] = defaultdict(set)
        self._known: dict[int, frozenset[str]] = {}

    def read(self, answers: Iterable[Answer]) -> Iterator[Fact | Left]:
        """The facts, each once, and what is left of the statements."""
        answers = list(answers)
        self._homonyms = Homonyms(self._mentions(answers))
        for name, kind in self._typed(answers):
            self._here[names.entity(name, self._base)].add(kind)
        seen: set[object] = set()
        for answer in answers:
            position = answer.chunk.position
            yield from (Left(position, reason) for reason in answer.extraction.misshapen)
            for said in answer.extraction.said:
                try:
                    fact = self._fact(answer, said)
                except _LeftError as error:
                    yield Left(position, error.reason, said.model_dump_json(), error.apart)
                    continue
                key = (fact.subject.node, fact.predicate.node, fact.object, fact.start)
                if key not in seen:
                    seen.add(key)
                    yield fact

    def _mentions(self, answers: Iterable[Answer]) -> Iterator[Mention]:
        for answer in answers:
            for said in answer.extraction.statements:
                if evidence.find(said.quote, answer.chunk.text):
                    yield self._mention(answer.chunk, said, said.subject, said.subject_qualifier)
                    if said.object_kind is Kind.ENTITY:
                        yield self._mention(answer.chunk, said, said.object, said.object_qualifier)

    def _typed(self, answers: Iterable[Answer]) -> Iterator[tuple[str, NamedNode]]:
        """The names to which statements with evidence give a class."""
        for answer in answers:
            for said in answer.extraction.statements:
                if evidence.find(said.quote, answer.chunk.text):
                    ends = (said.subject, said.subject_type), (said.object, said.object_type)
                    for name, text in ends:
                        if kind := self._schema.class_named(text):
                            yield name, kind

    def _mention(self, chunk: Chunk, said: Statement, name: str, qualifier: str) -> Mention:
        """The name with what the text, not the model alone, tells it apart by."""
        if not self._shows(chunk, qualifier):
            qualifier = ""
        return Mention(name, qualifier or homonyms.qualifier(name, said.quote), chunk.position)

    def _fact(self, answer: Answer, said: Statement | Replacement) -> Fact:
        chunk = answer.chunk
        span = evidence.find(said.quote, chunk.text)
        if span is None:
            raise _LeftError("its quote is not in the text")
        start, end = (chunk.start + offset for offset in span)
        if isinstance(said, Replacement):
            parts = (Entity(self._document.node), Named(DCTERMS.replaces), self._replaced(said))
            return Fact(*parts, chunk, start, end, Period(), (), answer.asked)
        subject, predicate, thing = self._parts(chunk, said)
        valid = self._valid(chunk, said, thing)
        where = self._places(chunk, said)
        return Fact(subject, predicate, thing, chunk, start, end, valid, where, answer.asked)

    def _replaced(self, said: Replacement) -> Entity:
        node = self._titles.get(names.normalise(said.title))
        if node == self._document.node:
            raise _LeftError("the document would replace itself")
        if node:
            return Entity(node)
        return Entity(names.entity(said.title, self._base), said.title, said.title)

    def _parts(self, chunk: Chunk, said: Statement) -> tuple[Entity, Named, Entity | Literal]:
        wanted = self._schema.property_named(said.predicate)
        if wanted is None and not self._is_open:
            raise _LeftError(f"no property {said.predicate!r}", apart=True)
        kind = self._kind(said.subject_type, wanted.domain if wanted else frozenset())
        mention = self._mention(chunk, said, said.subject, said.subject_qualifier)
        subject = self._entity(chunk, mention, kind)
        if wanted.is_data if wanted else said.object_kind is not Kind.ENTITY:
            return subject, *self._value(said, wanted)
        if said.object_kind not in (Kind.ENTITY, Kind.TEXT):
            raise _LeftError(f"{said.predicate} leads to a thing, not a value", apart=True)
        kind = self._kind(said.object_type, wanted.range if wanted else frozenset())
        mention = self._mention(chunk, said, said.object, said.object_qualifier)
        thing = self._entity(chunk, mention, kind)
        if thing.node == subject.node:
            raise _LeftError("it relates a thing to itself")
        return subject, Named(wanted.iri) if wanted else self._new(said.predicate), thing

    def _value(self, said: Statement, wanted: Property | None) -> tuple[Named, Literal]:
        number, written = values.split(said.object)
        unit = values.unit(said.unit or written) if said.object_kind is Kind.NUMBER else ""
        if wanted and unit and wanted.units and unit not in wanted.units:
            raise _LeftError(f"{unit!r} is not the unit of {said.predicate}", apart=True)
        text = number if unit else said.object
        value = values.literal(
            text,
            said.object_kind,
            wanted.range if wanted else frozenset(),
            quote=said.quote,
            language=self._document.language,
        )
        if value is None:
            raise _LeftError(f"{said.object!r} is no value of {said.predicate}", apart=True)
        return (Named(wanted.iri) if wanted else self._new(said.predicate, unit)), value

    def _kind(self, text: str, allowed: frozenset[NamedNode]) -> Named | None:
        """The class of that name, or the only one allowed where none is named."""
        if not text:
            return Named(next(iter(allowed))) if len(allowed) == 1 else None
        found = self._schema.class_named(text)
        if found is None and self._is_open:
            return Named(_minted(f"{self._base}class/", text), collapse(text))
        if found is None:
            raise _LeftError(f"no class {text!r}", apart=True)
        if not self._schema.agree(found, allowed):
            raise _LeftError(f"a {text} cannot stand there", apart=True)
        return Named(found)

    def _new(self, predicate: str, unit: str = "") -> Named:
        node = _minted(f"{self._base}predicate/", f"{predicate} {unit}")
        return Named(node, collapse(predicate), unit)

    def _entity(self, chunk: Chunk, mention: Mention, kind: Named | None) -> Entity:
        name = collapse(mention.name)
        if not any(map(str.isalnum, name)) or len(name) > _LONGEST:
            raise _LeftError(f"{name[:40]!r} is no name")
        which = self._homonyms.qualifier(mention) or self._told_apart(name, kind)
        spoken = self._shows(chunk, name)
        if kind and ONTO.Place in self._schema.around(kind.node):
            where = place(name, self._base, which)
            return Entity(where.node, name, _full(name, which), spoken, kind, where.within)
        full = _full(name, which)
        return Entity(names.entity(full, self._base), name, full, spoken, kind)

    def _told_apart(self, name: str, kind: Named | None) -> str:
        """The class's name, where something that cannot be of this class has the same name."""
        node = names.entity(name, self._base)
        others = self._elsewhere.get(node, ()) or self._here.get(node, ())
        if kind and any(self._schema.disjoint(kind.node, other) for other in others):
            return folded(re.split(r"[/#]", kind.node.value)[-1])
        return ""

    def _valid(self, chunk: Chunk, said: Statement, thing: Entity | Literal) -> Period:
        """When it holds: as the model found in the text, as its quote says, as its document."""
        start = self._day(chunk, said.valid_from)
        end = self._day(chunk, said.valid_until, last=True)
        dated = isinstance(thing, Literal) and said.object_kind is Kind.DATE
        own = Period(start, end) if start or end or dated else validity.period(said.quote)
        if own.start and own.end and own.start > own.end:
            own = Period()
        return own if own.start or own.end else self._document.valid

    def _day(self, chunk: Chunk, text: str, *, last: bool = False) -> date | None:
        known = all(self._shows(chunk, year) for year in re.findall(r"\d{4}", text))
        return validity.day(text, last=last) if known else None

    def _places(self, chunk: Chunk, said: Statement) -> tuple[Entity, ...]:
        name = collapse(said.applies_in)
        if not name or not self._shows(chunk, name):
            return tuple(map(Entity, self._document.places))
        where = place(name, self._base)
        return (Entity(where.node, where.name, name, True, Named(ONTO.Place), where.within),)

    def _shows(self, chunk: Chunk, words: str) -> bool:
        """Whether the chunk, or what stands above it, has all the words."""
        return not words or set(folded(words).split()) <= self._words(chunk)

    def _words(self, chunk: Chunk) -> frozenset[str]:
        if chunk.position not in self._known:
            document = self._document
            text = f"{document.title} {document.issued} {chunk.heading} {chunk.text}"
            self._known[chunk.position] = frozenset(folded(text).split())
        return self._known[chunk.position]


def _full(name: str, qualifier: str) -> str:
    return f"{name} ({qualifier})" if qualifier else name


def _minted(start: str, text: str) -> NamedNode:
    digest = hashlib.md5(folded(text).encode(), usedforsecurity=False).hexdigest()
    return NamedNode(start + digest)
