"""Facts held against the SHACL shapes that come with an ontology."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from pyoxigraph import Literal, NamedNode, RdfFormat, Triple, parse, serialize

from loaders.extract.facts import Entity, Fact, Left
from ontology.errors import InputError
from ontology.vocabulary import ONTO, OWL, RDF

_SH = "http://www.w3.org/ns/shacl#"
_TARGET, _MESSAGE = NamedNode(_SH + "targetClass"), NamedNode(_SH + "resultMessage")
_PARTS = tuple(NamedNode(_SH + part) for part in ("focusNode", "resultPath", "value"))

_Broken = dict[tuple[object, ...], str]


class Shapes:
    """The shapes of a domain's classes; `text` is their Turtle."""

    def __init__(self, text: bytes, ontology: Iterable[Triple]) -> None:
        self.text = text
        self._ontology = list(ontology)

    @classmethod
    def from_file(cls, path: Path, ontology: Iterable[Triple]) -> Shapes | None:
        """The shapes in a Turtle file; None where it has none but those of askonto's own terms."""
        if not path.is_file():
            return None
        text = path.read_bytes()
        try:
            triples = [quad.triple for quad in parse(text, format=RdfFormat.TURTLE)]
        except SyntaxError as error:
            raise InputError(f"is no Turtle: {error}", name=path.name, mend="Mend it") from None
        own = (f"<{ONTO.namespace}", f"<{OWL.namespace}")
        targets = [str(triple.object) for triple in triples if triple.predicate == _TARGET]
        return cls(text, ontology) if any(not one.startswith(own) for one in targets) else None

    def sift(self, read: Sequence[Fact | Left]) -> list[Fact | Left]:
        """The same, but facts that break a shape are left apart with what the shape says."""
        broken = self._broken([one for one in read if isinstance(one, Fact)])
        return [self._judged(one, broken) if isinstance(one, Fact) else one for one in read]

    @staticmethod
    def _judged(fact: Fact, broken: _Broken) -> Fact | Left:
        flat = _flat(fact)
        said = broken.get((flat.subject, flat.predicate, flat.object))
        if said is None:
            return fact
        return Left(fact.chunk.position, f"breaks a shape: {said}", str(flat), apart=True)

    def _broken(self, facts: Sequence[Fact]) -> _Broken:
        """The flat triples that break a shape; what is merely missing is nobody's fault."""
        from pyshacl import validate  # noqa: PLC0415  it and rdflib take two seconds
        from rdflib import Graph  # noqa: PLC0415

        stated = {triple for fact in facts for triple in (_flat(fact), *_types(fact))}
        _, report, _ = validate(
            Graph().parse(data=_lines(stated), format="nt"),
            shacl_graph=Graph().parse(data=self.text, format="turtle"),
            ont_graph=Graph().parse(data=_lines(self._ontology), format="nt"),
        )
        lines = report.serialize(format="nt", encoding="utf-8")
        told: dict[object, dict[object, NamedNode | Literal]] = defaultdict(dict)
        for quad in parse(lines, format=RdfFormat.N_TRIPLES):
            if isinstance(quad.object, NamedNode | Literal):
                told[quad.subject][quad.predicate] = quad.object
        return {
            tuple(one[part] for part in _PARTS): one[_MESSAGE].value
            for one in told.values()
            if {_MESSAGE, *_PARTS} <= one.keys()
        }


def _flat(fact: Fact) -> Triple:
    thing = fact.object.node if isinstance(fact.object, Entity) else fact.object
    return Triple(fact.subject.node, fact.predicate.node, thing)


def _types(fact: Fact) -> Iterator[Triple]:
    for entity in (fact.subject, fact.object):
        if isinstance(entity, Entity) and entity.kind:
            yield Triple(entity.node, RDF.type, entity.kind.node)


def _lines(triples: Iterable[Triple]) -> bytes:
    return serialize(triples, format=RdfFormat.N_TRIPLES) or b""
