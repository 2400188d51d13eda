"""RDF files: read whole and checked, or refused with the place."""

from __future__ import annotations

import resource
import time

import pytest
from pyoxigraph import NamedNode

from loaders.sources import rdf
from loaders.sources.rdf import BrokenRdf, Dataset
from loaders.sources.recognise import Kind
from ontology.errors import InputError

AB = "<http://e/a> <http://e/b>"
OWL = 'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://e/"'


def read(data: str | bytes, kind: Kind, skolem: str = "http://s/") -> Dataset:
    content = data.encode() if isinstance(data, str) else data
    return rdf.read(content, kind, name="x", base="http://base/x", skolem=skolem)


def xml(body: str, doctype: str = "") -> str:
    return f"{doctype}<rdf:RDF {OWL}>\n{body}\n</rdf:RDF>"


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        ("<http://e/a> <http://e/b> 'c' .", Kind.TURTLE),
        ('<http://e/a> <http://e/b> "c" .', Kind.N_TRIPLES),
        ('<http://e/a> <http://e/b> "c" .', Kind.N_QUADS),
        ("{ <http://e/a> <http://e/b> 'c' }", Kind.TRIG),
        (xml('<rdf:Description rdf:about="http://e/a" e:b="c"/>'), Kind.RDF_XML),
        ('{"@id": "http://e/a", "http://e/b": "c"}', Kind.JSON_LD),
    ],
)
def test_every_syntax_gives_the_same_statement(data: str, kind: Kind) -> None:
    assert read(data, kind).graphs == {None: b'<http://e/a> <http://e/b> "c" .\n'}


def test_owl_xml_is_read() -> None:
    data = """<?xml version="1.0"?><Ontology xmlns="http://www.w3.org/2002/07/owl#"
        ontologyIRI="http://e/o"><Declaration><Class IRI="http://e/A"/></Declaration></Ontology>"""
    graph = read(data, Kind.OWL_XML).graphs[None]
    assert b"<http://e/A>" in graph


def test_repeated_statements_count_once() -> None:
    line = '<http://e/a> <http://e/b> "c" .\n'
    assert read(line * 3, Kind.N_TRIPLES).triples == 1


def test_named_graphs_keep_their_names() -> None:
    data = read(
        "<http://e/g> { <http://e/a> <http://e/b> 1 } <http://e/a> <http://e/b> 2 .", Kind.TRIG
    )
    assert set(data.graphs) == {NamedNode("http://e/g"), None}
    assert data.triples == 2


def test_blank_nodes_of_two_files_stay_two_and_are_the_same_again() -> None:
    data = "_:a <http://e/b> [ <http://e/c> _:a ] ."
    one, two = read(data, Kind.TURTLE, "http://s/1/"), read(data, Kind.TURTLE, "http://s/2/")
    again = read(data, Kind.TURTLE, "http://s/1/")
    assert b"_:" not in one.graphs[None]
    assert one == again
    assert not set(one.graphs[None].splitlines()) & set(two.graphs[None].splitlines())


def test_blank_graph_names_and_triple_terms_hold_no_blank_nodes() -> None:
    data = read("_:g { <http://e/a> <http://e/b> <<( _:x <http://e/c> _:g )>> . }", Kind.TRIG)
    assert not any(b"_:" in lines for lines in data.graphs.values())


def test_ill_typed_literals_are_counted() -> None:
    days = '"2024-02-30"^^xsd:date, "2024-02-28"^^xsd:date, "x"^^xsd:integer, "7"^^xsd:integer'
    head = "@prefix xsd: <http://www.w3.org/2001/XMLSchema#> . <http://e/a> <http://e/b> "
    assert read(f"{head} {days} .", Kind.TURTLE).ill_typed == 2


def test_byte_order_mark_and_utf_16_are_no_error() -> None:
    turtle = '<http://e/a> <http://e/b> "è" .'
    assert read(b"\xef\xbb\xbf" + turtle.encode(), Kind.TURTLE).triples == 1
    assert read(turtle.encode("utf-16"), Kind.TURTLE) == read(turtle, Kind.TURTLE)


@pytest.mark.parametrize(
    ("data", "kind", "place"),
    [
        (f"{AB} 1 .\n{AB} 2 .\n<http://e/a>", Kind.TURTLE, "line 3"),
        (f"{AB} <http://e/c> .\n{AB} <http://e/ c> .\n", Kind.N_TRIPLES, "line 2"),
        ('{"@id": "http://e/a",\n"http://e/b": ', Kind.JSON_LD, "line 2"),
        ('{"http://e/b":\n{"@value": 1, "@type": "no iri"}}', Kind.JSON_LD, "line 2"),
        (xml('<rdf:Description rdf:about="http://e/a b"/>'), Kind.RDF_XML, "line 2"),
        (xml("<rdf:Description>"), Kind.RDF_XML, "line 3"),
        ("<http://e/a> <http://e/b>\n\n'\xe8' .".encode("latin-1"), Kind.TURTLE, "line 3"),
    ],
)  # fmt: skip
def test_broken_files_are_refused_with_the_line(data: str | bytes, kind: Kind, place: str) -> None:
    with pytest.raises(InputError) as error:
        read(data, kind)
    assert error.value.place.startswith(place)
    assert error.value.reason.startswith(f"{kind}: ")
    assert error.value.mend


def bomb(levels: int) -> str:
    inner = "".join(
        f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' if n else '<!ENTITY e0 "boom">'
        for n in range(levels)
    )
    thing = f'<rdf:Description rdf:about="http://e/a" e:b="&e{levels - 1};"/>'
    return xml(thing, f"<?xml version='1.0'?>\n<!DOCTYPE rdf:RDF [\n{inner}\n]>")


@pytest.mark.parametrize("levels", [6, 8, 9])
@pytest.mark.parametrize("kind", [Kind.RDF_XML, Kind.OWL_XML])
def test_entities_that_explode_are_refused_at_once(levels: int, kind: Kind) -> None:
    before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.monotonic()
    with pytest.raises(BrokenRdf, match="entities"):
        read(bomb(levels), kind)
    assert time.monotonic() - start < 2
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000


def test_external_entities_are_refused() -> None:
    doctype = '<!DOCTYPE rdf:RDF [<!ENTITY x SYSTEM "file:///etc/hostname">]>'
    with pytest.raises(BrokenRdf, match="external"):
        read(xml('<rdf:Description rdf:about="http://e/a" e:b="&x;"/>', doctype), Kind.RDF_XML)


@pytest.mark.parametrize("quote", ["'", '"'])
def test_proteges_namespace_entities_are_read(quote: str) -> None:
    names = {name: f"http://{name}/" for name in "owl rdf rdfs xsd skos e".split()}
    inner = "\n".join(f"<!ENTITY {k} {quote}{v}{quote} >" for k, v in names.items())
    data = xml(
        '<rdf:Description rdf:about="&skos;a" e:b="c"/>', f"<!DOCTYPE rdf:RDF [\n{inner}\n]>"
    )
    assert read(data, Kind.RDF_XML).graphs == {None: b'<http://skos/a> <http://e/b> "c" .\n'}


@pytest.mark.parametrize("depth", [5_000, 40_000])
@pytest.mark.parametrize(
    ("kind", "opened", "closed"),
    [
        (Kind.JSON_LD, '{"http://e/b":', "}"),
        (Kind.JSON_LD, "[", "]"),
        (Kind.RDF_XML, "<rdf:Description><e:b>", "</e:b></rdf:Description>"),
        (Kind.TURTLE, "<<( <http://e/a> <http://e/b> ", ")>>"),
    ],
)
def test_deep_nesting_is_refused_and_harms_nobody(
    kind: Kind, opened: str, closed: str, depth: int
) -> None:
    body = opened * depth + closed * depth
    data = {
        Kind.JSON_LD: body.replace(opened + closed, opened + '"c"' + closed, 1),
        Kind.RDF_XML: xml(body),
        Kind.TURTLE: f"<http://e/a> <http://e/b> {body.replace(')', '<http://e/c> )', 1)} .",
    }[kind]
    start = time.monotonic()
    with pytest.raises(InputError):
        read(data, kind)
    assert time.monotonic() - start < 10


def test_turtle_that_nests_200_000_deep_is_read() -> None:
    body = "[ <http://e/b> " * 200_000 + "1" + " ]" * 200_000
    assert read(f"<http://e/a> <http://e/b> {body} .", Kind.TURTLE).triples == 200_001


def test_a_context_elsewhere_is_refused_with_its_line() -> None:
    data = '{"@id": "http://e/a", "b": 1,\n"@context": "http://127.0.0.1:1/context"}'
    with pytest.raises(InputError, match="not fetched") as error:
        read(data, Kind.JSON_LD)
    assert error.value.place == "line 2"


def test_many_triple_terms_are_read() -> None:
    lines = "".join(
        f"<http://e/r{n}> <http://e/b> <<( <http://e/a> <http://e/b> {n} )>> .\n"
        for n in range(200)
    )
    assert read(lines, Kind.TURTLE).triples == 200
