"""The HTTP borders of questions: the contract, the page, and every error as a problem."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from loaders.iris import Iris
from queries.store import Store
from service.answering.answer import Answering
from service.answering.question import Question
from service.answering.reply import Citation, Fact, FactAnswer, PassageAnswer, RankedPassage, Value
from service.answering.sources import Sources
from service.answering.trace import Trace
from service.answering.wanted import Embedded, Wanted
from service.build import Askonto, open_index
from service.settings import Settings
from service.web.app import create_app

HOSTILE = "<img src=x onerror=alert(1)></script>{{7*7}}"


class Said:
    """What the two halves of the answering say, as the test wrote it."""

    def __init__(self) -> None:
        self.facts = FactAnswer()
        self.passages = PassageAnswer()
        self.error: Exception | None = None


class SaidFacts:
    def __init__(self, said: Said) -> None:
        self.said = said

    def wanted(self, question: Question) -> Wanted:
        return Wanted()

    def prepare(self) -> None:
        pass

    def close(self) -> None:
        pass

    def find(self, question: Question, vectors: Embedded, trace: Trace) -> FactAnswer:
        if self.said.error:
            raise self.said.error
        trace.queries.append(f"SELECT * {{ ?s ?p {json.dumps(HOSTILE)} }}")
        return self.said.facts


class SaidPassages(SaidFacts):
    def find(  # type: ignore[override]
        self, question: Question, vectors: Embedded, trace: Trace
    ) -> PassageAnswer:
        return self.said.passages


@pytest.fixture
def said() -> Said:
    return Said()


@pytest.fixture
def client(settings: Settings, store: Store, said: Said) -> Iterator[FlaskClient]:
    with open_index(settings, store) as index:
        answering = Answering(
            index=index,
            sources=Sources(store, Iris(settings.base_iri)),
            facts=SaidFacts(said),
            passages=SaidPassages(said),
        )
        app = create_app(settings, Askonto(settings, store, index, None, answering))
        yield app.test_client()
        answering.close()


def ask(client: FlaskClient, **record: object) -> Any:
    return client.post("/ask", json=record)


def test_an_answer_of_facts_cites_each_source_once(client: FlaskClient, said: Said) -> None:
    fact = Fact(
        "Bonus", "limit", "5000", "http://e.org/b", "http://e.org/l", graph="http://e.org/g"
    )
    said.facts = FactAnswer(
        "The limit is 5000.", (Value(value="5000"),), (fact, fact), 0.9, context=(fact,)
    )
    reply = ask(client, question="What is the limit?", id=7)
    assert reply.status_code == 200
    line = reply.get_json()
    assert line["id"] == 7
    assert line["answer"] == "The limit is 5000. [1]"
    assert [citation["quote"] for citation in line["citations"]] == ["Bonus limit 5000"]
    assert line["context"] == "[1] Bonus limit 5000"
    assert line["abstained"] is False


def test_passages_answer_where_facts_are_not_sure(client: FlaskClient, said: Said) -> None:
    said.facts = FactAnswer("From facts.", confidence=0.4)
    quote = Citation(1, "http://e.org/c", "Guide", "https://e.org/g", 2, "From passages.")
    said.passages = PassageAnswer("From passages. [1]", quotes=(quote,), confidence=0.8)
    line = ask(client, question="Which one?").get_json()
    assert line["answer"] == "From passages. [1]"
    assert line["citations"][0]["page"] == 2
    said.facts = FactAnswer("From facts.", confidence=0.6)
    assert ask(client, question="Which one?").get_json()["answer"] == "From facts."


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("What is the limit of the bonus?", "do not tell"),
        ("Qual è il limite del bonus?", "non lo dicono"),
        ("Wie hoch ist die Grenze des Bonus?", "sagen es nicht"),
    ],
)
def test_what_is_not_known_is_said_in_the_askers_language(
    client: FlaskClient, question: str, words: str
) -> None:
    line = ask(client, question=question).get_json()
    assert line["abstained"] is True
    assert words in line["answer"]
    assert line["citations"] == line["values"] == []


@pytest.mark.parametrize(
    "body",
    [
        b"", b"[]", b"[" * 100_000, b'{"question": NaN}', b'{"question": "\\ud800"}',
        b'{"question": ""}', b'{"question": "x", "lang": "en> . ?s ?p ?o"}',
        b'{"question": "x", "as_of": "2025-13-01"}', b'{"question": "x", "place": "Nowhereland"}',
        b'{"question": "' + b"x" * 100_000 + b'"}', b"\xff\xfe",
    ],
)  # fmt: skip
def test_what_cannot_be_asked_is_a_problem(client: FlaskClient, body: bytes) -> None:
    reply = client.post("/ask", data=body, content_type="application/json")
    assert reply.status_code == 400
    assert reply.mimetype == "application/problem+json"
    assert {"type", "title", "status", "detail", "name", "mend"} <= reply.get_json().keys()


def test_a_body_above_the_limit_is_refused(client: FlaskClient, settings: Settings) -> None:
    body = b" " * (settings.body_bytes + 1)
    reply = client.post("/ask", data=body, content_type="application/json")
    assert reply.status_code == 413
    assert reply.mimetype == "application/problem+json"


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/ask", 405), ("GET", "/nothing", 404), ("DELETE", "/", 405), ("GET", "/$/ping", 404)],
)
def test_a_wrong_address_or_method_is_a_problem(
    client: FlaskClient, method: str, path: str, status: int
) -> None:
    reply = client.open(path, method=method)
    assert (reply.status_code, reply.mimetype) == (status, "application/problem+json")


def test_a_question_as_plain_text_is_refused(client: FlaskClient) -> None:
    reply = client.post("/ask", data=b'{"question": "x"}', content_type="text/plain")
    assert reply.status_code == 415


@pytest.mark.parametrize(
    "question",
    [
        '"x" } UNION {?s ?p ?o} #',
        "x } ; DROP ALL ; #",
        "\x00\x01\x7f tell me",
        "\u202e ᚠᛇᚻ 漢字 🏠",
    ],
)
def test_odd_words_get_an_honest_answer(client: FlaskClient, question: str) -> None:
    reply = ask(client, question=question)
    assert reply.status_code == 200
    assert reply.get_json()["abstained"] is True


@pytest.mark.filterwarnings("default")
def test_a_fault_of_our_own_shows_nothing_of_itself(client: FlaskClient, said: Said) -> None:
    said.error = KeyError("/etc/secret SELECT sk-123")
    reply = ask(client, question="What?")
    assert reply.status_code == 500
    assert reply.get_json()["detail"] == "A fault of askonto's own; its log says more."


@pytest.mark.parametrize(
    "error",
    [
        sqlite3.OperationalError("database or disk is full"),
        OSError(28, "No space left on device", "/home/me/secret"),
        OSError("/home/me/secret"),
    ],
)
def test_a_full_disk_is_told_with_its_mend(
    client: FlaskClient, said: Said, error: Exception
) -> None:
    said.error = error
    reply = ask(client, question="What?")
    assert (reply.status_code, reply.mimetype) == (503, "application/problem+json")
    assert "disk space" in reply.get_json()["mend"]
    assert "secret" not in reply.get_data(as_text=True)


def test_the_page_shows_everything_escaped(client: FlaskClient, said: Said) -> None:
    citation = Citation(1, "http://e.org/c", HOSTILE, 'https://e.org/a?x="><b>', None, HOSTILE)
    passage = RankedPassage("http://e.org/c", "https://e.org/", HOSTILE, None, 1.0, HOSTILE)
    said.passages = PassageAnswer(
        f"{HOSTILE} [1]", quotes=(citation,), confidence=0.9, passages=(passage,)
    )
    page = client.post("/ask", data={"question": HOSTILE}, headers={"Accept": "text/html"})
    text = page.get_data(as_text=True)
    assert page.mimetype == "text/html"
    assert "<img" not in text
    assert "<script" not in text
    assert ">49<" not in text
    assert 'href="https://e.org/a?x=&#34;&gt;&lt;b&gt;" rel="noopener noreferrer"' in text
    assert '<a class="mark" href="#citation-1">[1]</a>' in text


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        " JaVaScRiPt:x",
        "data:text/html,x",
        "vbscript:x",
        "//evil",
        "file:///x",
    ],
)
def test_only_web_addresses_become_links(client: FlaskClient, said: Said, url: str) -> None:
    said.passages = PassageAnswer(
        "It is so. [1]", quotes=(Citation(1, "", "Guide", url, None, "q"),), confidence=0.9
    )
    page = client.post("/ask", data={"question": "Is it?"}, headers={"Accept": "text/html"})
    assert f'href="{url}' not in page.get_data(as_text=True)


def test_the_page_allows_no_script_at_all(client: FlaskClient) -> None:
    page = client.get("/")
    policy = page.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "script-src" not in policy
    assert "<script" not in page.get_data(as_text=True)
    assert "style=" not in page.get_data(as_text=True)


def test_the_page_speaks_the_readers_language(client: FlaskClient) -> None:
    italian = client.get("/", headers={"Accept-Language": "it-CH,it;q=0.9"})
    assert '<html lang="it">' in italian.get_data(as_text=True)
    assert "La tua domanda" in italian.get_data(as_text=True)
    assert '<html lang="en">' in client.get("/").get_data(as_text=True)


def test_a_browsers_error_is_a_page(client: FlaskClient) -> None:
    reply = client.post("/ask", data={"question": " "}, headers={"Accept": "text/html"})
    assert (reply.status_code, reply.mimetype) == (400, "text/html")
    assert "Ask something" in reply.get_data(as_text=True)


def test_health_tells_that_the_store_answers(client: FlaskClient) -> None:
    assert client.get("/health").get_json()["status"] == "ok"


def test_the_stylesheet_is_served(client: FlaskClient) -> None:
    with client.get("/static/askonto.css") as reply:
        assert reply.mimetype == "text/css"


def test_no_other_site_may_read(client: FlaskClient) -> None:
    reply = client.get("/health", headers={"Origin": "https://evil.example"})
    assert "Access-Control-Allow-Origin" not in reply.headers


def test_files_outside_the_static_folder_are_not_served(client: FlaskClient) -> None:
    for path in ("/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2fapp.py"):
        assert client.get(path).status_code == 404


def test_templates_stand_where_the_app_looks() -> None:
    folder = Path(__file__).parents[2] / "service" / "web" / "templates"
    assert {path.name for path in folder.iterdir()} == {
        "base.html", "ask.html", "sparql.html", "problem.html",
    }  # fmt: skip
