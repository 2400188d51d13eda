"""Questions that a data set does not answer, made of those that it does, always the same."""

from __future__ import annotations

import gzip
import random
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from pyoxigraph import Literal, NamedNode, RdfFormat, parse

from service.index.normalise import local_name

ANSWERABLE = "answerable"
RELATION, NAME, SOURCE, YEAR, PLACE = (
    "without the relation",
    "invented name",
    "source removed",
    "other year",
    "other place",
)
_LABEL = re.compile(r"[#/](?:label|prefLabel|name)$")
_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
_STARTS, _ENDS = ("zor", "quil", "brev", "tam", "vesk"), ("vane", "dori", "lapo", "mund", "kelli")
_YEARS = ("2031", "2034", "1787")
_PLACES = {
    "it": ("in Portogallo", "in Islanda", "a Helsinki"),
    "en": ("in Portugal", "in Iceland", "in Helsinki"),
}
_IN_YEAR = {"it": "nel", "en": "in"}


@dataclass(frozen=True, slots=True)
class Asked:
    """A question; `mention` in its text names `entity`, of which `properties` (local names) tell.

    `sources` are the documents that answer it.
    """

    text: str
    language: str
    kind: str = ANSWERABLE
    mention: str = ""
    entity: str = ""
    properties: frozenset[str] = frozenset()
    sources: frozenset[str] = frozenset()


@dataclass
class Graph:
    """What each entity of a graph is called, and by what statements and classes it stands."""

    names: dict[str, str] = field(default_factory=dict)
    roles: dict[str, set[tuple[str, bool]]] = field(default_factory=lambda: defaultdict(set))
    kinds: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    @classmethod
    def from_files(cls, files: Iterable[Path]) -> Graph:
        """Read N-Triples (compressed or not) or Turtle."""
        graph = cls()
        for file in files:
            data = file.read_bytes()
            data = gzip.decompress(data) if file.suffix == ".gz" else data
            format = RdfFormat.TURTLE if file.suffix == ".ttl" else RdfFormat.N_TRIPLES
            for triple in parse(data, format=format):
                graph._add(triple.subject, triple.predicate.value, triple.object)
        return graph

    def _add(self, subject: object, predicate: str, target: object) -> None:
        if not isinstance(subject, NamedNode):
            return
        if predicate == _TYPE and isinstance(target, NamedNode):
            self.kinds[subject.value].add(target.value)
        elif isinstance(target, Literal) and _LABEL.search(predicate):
            self.names.setdefault(subject.value, target.value)
        else:
            self.roles[subject.value].add((_local(predicate), False))
            if isinstance(target, NamedNode):
                self.roles[target.value].add((_local(predicate), True))

    def name(self, entity: str) -> str:
        """What the entity is called."""
        return self.names.get(entity) or local_name(entity)

    @cached_property
    def _things(self) -> list[str]:
        return sorted(entity for entity in self.roles if 3 < len(self.name(entity)) < 60)

    def without(self, properties: Collection[str], like: str, chance: random.Random) -> str:
        """An entity of which none of the properties tells, of `like`'s kind; "" without one."""
        lacking = [
            entity
            for entity in chance.sample(self._things, min(4000, len(self._things)))
            if entity != like and not any(name in properties for name, _ in self.roles[entity])
        ]
        kind, roles = self.kinds.get(like, set()), self.roles.get(like, set())

        def likeness(entity: str) -> tuple[int, int]:
            return len(self.kinds.get(entity, set()) & kind), len(self.roles[entity] & roles)

        best = max(lacking, key=likeness, default="")
        return best if best and any(likeness(best)) else ""


def of_graph(asked: Sequence[Asked], graph: Graph, rounds: int = 1) -> Iterator[Asked]:
    """Each question about an entity made unanswerable in each way, `rounds` times."""
    chance = random.Random(7)
    for one in asked:
        if not one.mention:
            continue
        for _ in range(rounds):
            if one.properties:
                other = graph.without(one.properties, one.entity, chance)
                if other:
                    text = _renamed(one, graph.name(other))
                    yield replace(one, kind=RELATION, text=text, entity=other)
            yield replace(one, kind=NAME, text=_renamed(one, invented(one.mention, chance)))
            yield from elsewhere(one, chance)


def of_documents(asked: Sequence[Asked]) -> Iterator[Asked]:
    """Each question with a name invented, another year and place, and its sources removed."""
    chance = random.Random(7)
    for one in asked:
        long = [word for word in re.findall(r"\w+", one.text) if len(word) > 4]
        if long:
            kept = replace(one, mention=max(long[1:] or long, key=len))
            yield replace(kept, kind=NAME, text=_renamed(kept, invented("Name", chance)))
        yield from elsewhere(one, chance)
        if one.sources:
            yield replace(one, kind=SOURCE)


def elsewhere(one: Asked, chance: random.Random) -> Iterator[Asked]:
    """The question asked for another year, and for another place."""
    year, place = chance.choice(_YEARS), chance.choice(_PLACES[one.language])
    for kind, words in ((YEAR, f"{_IN_YEAR[one.language]} {year}"), (PLACE, place)):
        plain = re.sub(r"\b(?:19|20)\d\d\b", year, one.text) if kind == YEAR else one.text
        if plain == one.text:
            plain = f"{one.text.rstrip(' ?.')} {words}?"
        yield replace(one, kind=kind, text=plain)


def invented(like: str, chance: random.Random) -> str:
    """A name of one or two words that nothing bears; of a code's letters where it is a code."""
    if re.fullmatch(r"[0-9a-f]{8}", like):
        return f"{chance.getrandbits(32):08x}"
    words = [
        chance.choice(_STARTS) + chance.choice(_ENDS) for _ in range(min(2, len(like.split())))
    ]
    return " ".join(word if like.islower() else word.capitalize() for word in words)


def found_in(text: str, names: Iterable[str]) -> str:
    """The longest of the names that stands in the text, as written there."""
    for name in sorted(names, key=len, reverse=True):
        if name and (found := re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE)):
            return found.group()
    return ""


def properties_of(sparql: str) -> frozenset[str]:
    """The local names of the properties of a query, but types and labels."""
    body = re.sub(r"(?i)prefix\s+\S+\s*<[^>]*>", " ", sparql)
    body = re.sub(r'"[^"]*"', " ", body)
    names = re.findall(r"(?<![\w?])[\w-]*:([\w.-]*\w)|<[^>]*[/#]([\w.-]+)>", body)
    return frozenset(a or b for a, b in names) - {"type", "label"}


def _renamed(one: Asked, name: str) -> str:
    return one.text.replace(one.mention, name, 1)


def _local(iri: str) -> str:
    return re.split(r"[/#]", iri)[-1]
