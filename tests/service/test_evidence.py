"""What facts are cited as."""

from __future__ import annotations

from service.answering.evidence import citations_of
from service.answering.reply import Fact


def fact(**more: object) -> Fact:
    told = {"subject_iri": "http://e.org/a", "predicate_iri": "http://e.org/p", "graph": "urn:g"}
    return Fact("A", "costs", "5 euro", **{**told, **more})  # type: ignore[arg-type]


def test_a_fact_is_cited_by_the_document_that_bears_it_out() -> None:
    (citation,) = citations_of(
        [fact(title="Guide", url="https://e.org/g", page=3, quote="5 €")], {}
    )
    assert (citation.title, citation.url, citation.page) == ("Guide", "https://e.org/g", 3)
    assert citation.quote == "5 €"


def test_a_fact_without_evidence_is_cited_by_its_own_words() -> None:
    (citation,) = citations_of([fact()], {})
    assert citation.quote == "A costs 5 euro"


def test_facts_of_two_documents_have_a_citation_each() -> None:
    told = [fact(url=f"https://e.org/{name}") for name in "ab"]
    assert [one.number for one in citations_of(told, {})] == [1, 2]
