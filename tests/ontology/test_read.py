"""`saved/` holds one ontology in the five syntaxes, under `.owl`, as the OWL API writes them."""

from __future__ import annotations

import gzip
import resource
import time
from pathlib import Path

import pyoxigraph as ox
import pytest

from ontology.read import Ontology, OntologyError, Syntax, read

SAVED = Path(__file__).parent / "saved"
PREFIXES = "@prefix owl: <http://www.w3.org/2002/07/owl#> .\n@prefix e: <http://t/s#> .\n"
HEAD = '<?xml version="1.0"?>\n<!DOCTYPE rdf:RDF [\n{entities}\n]>\n'
RDF_XML = (
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" '
    'xmlns:owl="http://www.w3.org/2002/07/owl#" '
    'xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#">{body}</rdf:RDF>'
)
OWL_XML = (
    '<Ontology xmlns="http://www.w3.org/2002/07/owl#" xml:base="http://t/s" '
    'ontologyIRI="http://t/s">{body}</Ontology>'
)


def _canonical(ontology: Ontology) -> set[str]:
    dataset = ox.Dataset(ox.Quad(*triple) for triple in ontology.triples)
    dataset.canonicalize(ox.CanonicalizationAlgorithm.UNSTABLE)
    return set(map(str, dataset))


def _written(folder: Path, content: str | bytes, name: str = "x.owl") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(
    ("name", "syntax"),
    [
        ("turtle", Syntax.TURTLE),
        ("rdfxml", Syntax.RDF_XML),
        ("owlxml", Syntax.OWL_XML),
    ],
)
def test_saved_syntaxes_hold_the_same_triples(name: str, syntax: Syntax) -> None:
    ontology = read(SAVED / f"pets-{name}.owl")
    assert ontology.syntax is syntax
    assert _canonical(ontology) == _canonical(read(SAVED / "pets-turtle.owl"))


@pytest.mark.parametrize(
    ("name", "said"), [("functional", "functional syntax"), ("manchester", "Manchester syntax")]
)
def test_other_syntaxes_are_refused_by_name(name: str, said: str) -> None:
    with pytest.raises(OntologyError, match=rf"pets-{name}\.owl: is in .*{said}.*save it as"):
        read(SAVED / f"pets-{name}.owl")


def test_byte_order_mark_and_gzip_are_no_hindrance(tmp_path: Path) -> None:
    plain = (SAVED / "pets-turtle.owl").read_bytes()
    count = len(read(SAVED / "pets-turtle.owl").triples)
    assert len(read(_written(tmp_path, b"\xef\xbb\xbf" + plain)).triples) == count
    assert len(read(_written(tmp_path, gzip.compress(plain), "x.ttl.gz")).triples) == count
    wide = (SAVED / "pets-rdfxml.owl").read_text(encoding="utf-8").encode("utf-16")
    assert len(read(_written(tmp_path, wide)).triples) == count


def test_protege_namespace_entities_are_read(tmp_path: Path) -> None:
    names = "abcdef"
    entities = "\n".join(
        f"<!ENTITY {name} {quote}http://t/{name}#{quote} >"
        for name, quote in zip(names, "\"'\"'\"'", strict=True)
    )
    body = "".join(f'<owl:Class rdf:about="&{name};X"/>' for name in names)
    path = _written(tmp_path, HEAD.format(entities=entities) + RDF_XML.format(body=body))
    assert {triple.subject.value for triple in read(path).triples} == {  # type: ignore[union-attr]
        f"http://t/{name}#X" for name in names
    }


@pytest.mark.parametrize("document", [RDF_XML, OWL_XML])
@pytest.mark.parametrize("levels", [6, 8, 9])
def test_entity_bombs_are_refused_at_once(tmp_path: Path, document: str, levels: int) -> None:
    nested = [f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, levels + 1)]
    entities = "\n".join(['<!ENTITY l0 "haha">', *nested])
    text = HEAD.format(entities=entities) + document.format(body=f"&l{levels};")
    path = _written(tmp_path, text)
    before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.monotonic()
    with pytest.raises(OntologyError, match=r"x\.owl, line 4: .*entities that are nested"):
        read(path)
    assert time.monotonic() - start < 2
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000


def test_external_entities_are_refused(tmp_path: Path) -> None:
    secret = _written(tmp_path, "secret", "secret.txt")
    entities = f'<!ENTITY x SYSTEM "{secret.as_uri()}">'
    path = _written(tmp_path, HEAD.format(entities=entities) + RDF_XML.format(body="&x;"))
    with pytest.raises(OntologyError, match="external"):
        read(path)


@pytest.mark.parametrize("name", ["turtle", "rdfxml", "owlxml"])
def test_cut_file_is_refused_with_its_line(tmp_path: Path, name: str) -> None:
    whole = (SAVED / f"pets-{name}.owl").read_bytes()
    with pytest.raises(OntologyError, match=r"x\.owl, line \d+") as refused:
        read(_written(tmp_path, whole[:-60]))
    assert refused.value.mend


def test_deep_nesting_leaves_the_process_alive(tmp_path: Path) -> None:
    deep = 1_500
    open_, close = "<ObjectIntersectionOf>" * deep, "</ObjectIntersectionOf>" * deep
    axiom = f'<SubClassOf><Class IRI="#a"/>{open_}<Class IRI="#b"/>{close}</SubClassOf>'
    with pytest.raises(OntologyError, match="nests deeper"):
        read(_written(tmp_path, OWL_XML.format(body=axiom)))
    lists = "( " * deep + "e:b" + " )" * deep
    assert read(_written(tmp_path, f"{PREFIXES}e:a owl:intersectionOf {lists} .")).triples


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "is empty"),
        ("\ufeff \n", "is empty"),
        ('<?xml version="1.0"?><catalog prefer="public"/>', "catalog"),
        ("<html><body>no</body></html>", "no ontology"),
        ('{"@context": {}}', "JSON"),
        (OWL_XML.format(body='<Declaration><Class IRI="#a b"/></Declaration>'), "is no IRI"),
        (OWL_XML.format(body='<Bogus><Class IRI="#a"/></Bogus>'), "<Bogus> is not an axiom"),
        (
            OWL_XML.format(body='<Declaration><Class abbreviatedIRI="x:a"/></Declaration>'),
            "not declared",
        ),
    ],
)
def test_what_is_no_ontology_is_said(tmp_path: Path, content: str, said: str) -> None:
    with pytest.raises(OntologyError, match=said):
        read(_written(tmp_path, content))


def test_missing_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(OntologyError, match=r"none\.ttl: No such file"):
        read(tmp_path / "none.ttl")


def test_hash_slash_and_numeric_iris_are_kept_in_owl_xml(tmp_path: Path) -> None:
    """The OWL API cuts the base off and writes the rest."""
    cut = ["/Cat", "#Dog", "/0000240", "/Caf%C3%A9"]
    body = "".join(f'<Declaration><Class IRI="{one}"/></Declaration>' for one in cut)
    ontology = read(_written(tmp_path, OWL_XML.format(body=body)))
    classes = {str(t.subject) for t in ontology.triples} - {"<http://t/s>"}
    assert classes == {f"<http://t/s{one}>" for one in cut}


def test_swrl_rules_are_left_out_and_told(tmp_path: Path) -> None:
    body = '<Declaration><Class IRI="#a"/></Declaration>\n<DLSafeRule/>'
    assert "SWRL" in read(_written(tmp_path, OWL_XML.format(body=body))).left_out[0]
