"""What a file is, by its content."""

from __future__ import annotations

import pytest

from loaders.sources.recognise import Kind, NotData, Unsupported, recognise

RDF = 'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"'
CONTENTS = [
    (b"@prefix e: <http://e/> .\ne:a e:b e:c .", Kind.TURTLE),
    (b"# a comment\nPREFIX e: <http://e/>\ne:a e:b e:c .", Kind.TURTLE),
    (b"[] <http://e/b> <http://e/c> .", Kind.TURTLE),
    (b"@prefix e: <http://e/> .\ne:g { e:a e:b e:c . }", Kind.TRIG),
    (b"{ <http://e/a> <http://e/b> <http://e/c> . }", Kind.TRIG),
    (b'<http://e/a> <http://e/b> "c"@en .\n<http://e/a> <http://e/b> _:x .\n', Kind.N_TRIPLES),
    (b"<http://e/a> <http://e/b> <http://e/c> <http://e/g> .\n", Kind.N_QUADS),
    (f"<rdf:RDF {RDF}/>".encode(), Kind.RDF_XML),
    (f"<?xml version='1.0'?><!-- x --><e:Thing {RDF} xmlns:e='http://e/'/>".encode(), Kind.RDF_XML),
    (b'<?xml version="1.0"?><Ontology xmlns="http://www.w3.org/2002/07/owl#"/>', Kind.OWL_XML),
    (b'{"@context": {}, "@id": "http://e/a"}', Kind.JSON_LD),
    (b'[{"@id": "http://e/a", "http://e/b": 1}]', Kind.JSON_LD),
    (b"%PDF-1.7\n", Kind.PDF),
    (b"<!doctype html><title>x</title>", Kind.HTML),
    (b"<div><p>Some words.</p></div>", Kind.HTML),
    (b"# Heating\n\nA heat pump moves heat.\n", Kind.MARKDOWN),
    (b"A heat pump moves heat.\n", Kind.TEXT),
    (b"Select your heating with care, { where it matters }.\n", Kind.TEXT),
]


@pytest.mark.parametrize(("content", "kind"), CONTENTS)
@pytest.mark.parametrize("name", ["x", "x.owl"])
def test_content_tells_the_kind_whatever_the_name(content: bytes, kind: Kind, name: str) -> None:
    if name == "x.owl" and kind in (Kind.MARKDOWN, Kind.TEXT):
        kind = Kind.TURTLE  # a text that is called an ontology is read as a broken one
    assert recognise(content, name) is kind


def test_byte_order_mark_changes_nothing() -> None:
    assert recognise(b"\xef\xbb\xbf@prefix e: <http://e/> .", "x.ttl") is Kind.TURTLE
    assert recognise(f"<rdf:RDF {RDF}/>".encode("utf-16"), "x.rdf") is Kind.RDF_XML


def test_relative_iri_that_looks_like_a_tag_is_turtle_where_it_parses() -> None:
    assert recognise(b"<a> <p> <b> .", "x.ttl") is Kind.TURTLE
    assert recognise(b"<p>Words</p>", "x.ttl") is Kind.HTML


@pytest.mark.parametrize(
    ("content", "name", "said"),
    [
        (b"", "x.ttl", "empty"),
        (b" \n", "x.ttl", "empty"),
        (b"PK\x03\x04...", "x.docx", "office document"),
        (b"\x89PNG\r\n", "x.png", "PNG"),
        (b"ab\x00\x01\x02\x00\x00", "x.bin", "binary"),
        (b"Prefix(:=<http://e/>)\nOntology(<http://e>)", "x.owl", "functional syntax"),
        (b"Prefix: : <http://e/>\n", "x.owl", "Manchester"),
        (b"format-version: 1.2\n", "x.obo", "OBO"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "x.svg", "<svg>"),
        (b'{"a": 1}', "x.json", "JSON"),
        (b"a,b\n1,2\n", "x.csv", "table"),
        (b"PREFIX e: <http://e/>\nSELECT * { ?s ?p ?o }", "x.rq", "SPARQL"),
    ],
)
def test_what_cannot_be_loaded_is_named(content: bytes, name: str, said: str) -> None:
    with pytest.raises(Unsupported) as error:
        recognise(content, name)
    assert said in error.value.reason
    assert error.value.name == name
    assert error.value.mend


def test_proteges_catalog_is_no_data() -> None:
    catalog = b'<?xml version="1.0"?><catalog xmlns="urn:oasis:names:tc:entity:xmlns:xml:catalog"/>'
    with pytest.raises(NotData, match="catalog"):
        recognise(catalog, "catalog-v001.xml")
