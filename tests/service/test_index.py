"""The index follows the ledger, survives whatever is done to its folder, and finds labels."""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from loaders.ports import Vectors
from queries.store import Store, open_embedded
from queries.store.results import Solutions
from service.index.index import Index
from service.index.labels import Kind
from service.index.lexical import Lexical
from service.models.errors import ModelError

BASE = "https://w3id.org/askonto/data/"
PREFIXES = f"""
PREFIX : <http://x.test/>
PREFIX b: <{BASE}>
PREFIX onto: <https://w3id.org/askonto/onto#>
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
"""
ALL = list(Kind)


class Shelf:
    """Loads and removes sources as the loaders do: data and ledger in one update."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.generation = 0
        store.update("DROP ALL")

    def put(self, name: str, turtle: str) -> None:
        self._update(
            name,
            f"GRAPH b:{name} {{ {turtle} }} GRAPH b:ledger {{ b:s{name} onto:inGraph b:{name} ;"
            f" onto:generation {self.generation + 1} }}",
        )

    def remove(self, name: str) -> None:
        self._update(name, "")

    def _update(self, name: str, data: str) -> None:
        self.generation += 1
        self.store.update(
            f"{PREFIXES} DROP SILENT GRAPH b:{name} ;"
            f"DELETE WHERE {{ GRAPH b:ledger {{ b:s{name} ?p ?o }} }} ;"
            "DELETE WHERE { GRAPH b:ledger { b:ledger ?p ?o } } ;"
            f"INSERT DATA {{ {data}"
            f" GRAPH b:ledger {{ b:ledger onto:generation {self.generation} }} }}"
        )


class Letters:
    """An embedder for tests: texts are near that share letters; it can fail after some texts."""

    model = "letters"

    def __init__(self, until: int = 1_000_000) -> None:
        self.asked: list[str] = []
        self.until = until

    def passages(self, texts: Sequence[str]) -> Vectors:
        if len(self.asked) + len(texts) > self.until:
            raise ModelError("worn out")
        self.asked += texts
        return self.questions(texts)

    def questions(self, texts: Sequence[str]) -> Vectors:
        rows = np.zeros((len(texts), 64), np.float32)
        for row, text in zip(rows, texts, strict=True):
            for letter in text.lower():
                row[hashlib.md5(letter.encode()).digest()[0] % 64] += 1
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)

    def both(self, questions: Sequence[str], passages: Sequence[str]) -> tuple[Vectors, Vectors]:
        return self.questions(questions), self.passages(passages)


@pytest.fixture
def shelf(store: Store) -> Shelf:
    return Shelf(store)


@pytest.fixture
def index(store: Store, tmp_path: Path) -> Iterator[Index]:
    opened = Index(tmp_path / "index", store, BASE)
    yield opened
    opened.close()


def names(index: Index, *keys: str) -> set[tuple[str, str]]:
    """The IRIs' last parts and kinds that the keys find whole."""
    found = index.labels.exact(keys).values()
    return {(one.iri.rpartition("/")[2], one.kind.value) for labels in found for one in labels}


def test_label_is_found_whole_in_part_and_misspelt(shelf: Shelf, index: Index) -> None:
    shelf.put("a", ':p rdfs:label "Pompa di calore"@it ; skos:altLabel "Heat pump"@en .')
    index.refresh()
    (label,) = index.labels.exact(["pompa di calore"])["pompa di calore"]
    assert (label.text, label.language, label.alternative) == ("Pompa di calore", "it", False)
    assert label.source == BASE + "a"
    (other,) = index.labels.exact(["heat pump"])["heat pump"]
    assert other.alternative
    assert index.labels.similar("ponpa di calor", [Kind.ENTITY], 1)[0].label == label
    assert index.labels.containing("una pompa", [Kind.ENTITY], 1)[0].label == label
    assert index.labels.of(["http://x.test/p"])["http://x.test/p"] == [label, other]


def test_acronym_and_the_name_before_parentheses_are_names(shelf: Shelf, index: Index) -> None:
    shelf.put("a", ':p rdfs:label "Pompa di calore (PdC)" . :m rdfs:label "Mercury (planet)" .')
    index.refresh()
    assert names(index, "pdc", "pompa di calore") == {("p", "entity")}
    assert names(index, "mercury") == {("m", "entity")}
    assert names(index, "planet") == set()


def test_naming_properties_of_any_vocabulary_name(shelf: Shelf, index: Index) -> None:
    shelf.put("a", ':p <http://v.test/ns#IdentifiedObject.name> "Sankt Anton" ; :shortName "STA" .')
    index.refresh()
    assert names(index, "sankt anton", "sta") == {("p", "entity")}


def test_kinds_come_from_use_and_declaration(shelf: Shelf, index: Index) -> None:
    shelf.put(
        "a", ":eagle a :Species , owl:Class ; :eats :mouse . :tom a :Cat . :Dog a owl:Class ."
    )
    index.refresh()
    assert names(index, "eagle") == {("eagle", "entity"), ("eagle", "class")}
    assert names(index, "cat", "dog", "species") == {
        ("Cat", "class"),
        ("Dog", "class"),
        ("Species", "class"),
    }
    assert names(index, "eats") == {("eats", "predicate")}
    assert names(index, "tom", "mouse") == {("tom", "entity"), ("mouse", "entity")}


def test_label_in_one_graph_meets_its_use_in_another(shelf: Shelf, index: Index) -> None:
    shelf.put("labels", ':directedBy rdfs:label "regista"@it . :f rdfs:label "Film" .')
    index.refresh()
    assert names(index, "regista") == {("directedBy", "entity")}
    shelf.put("facts", ":f :directedBy :someOne .")
    index.refresh()
    assert names(index, "regista") == {("directedBy", "predicate")}
    assert [one.label.kind for one in index.labels.similar("regista", ALL, 1)] == [Kind.PREDICATE]


def test_nameless_is_called_by_its_iri_until_a_graph_names_it(shelf: Shelf, index: Index) -> None:
    shelf.put("facts", ":heatPump :usedIn :Caf%C3%A9_Roma . :E1234 :usedIn :heatPump .")
    index.refresh()
    assert names(index, "heat pump", "cafe roma") == {
        ("heatPump", "entity"),
        ("Caf%C3%A9_Roma", "entity"),
    }
    shelf.put("labels", ':heatPump rdfs:label "Pompa di calore"@it .')
    index.refresh()
    assert names(index, "heat pump", "pompa di calore") == {("heatPump", "entity")}
    assert names(index, "heat pump") == set()
    shelf.remove("labels")
    index.refresh()
    assert names(index, "heat pump", "pompa di calore") == {("heatPump", "entity")}
    assert names(index, "pompa di calore") == set()


def test_short_texts_are_literals_and_long_ones_are_not(shelf: Shelf, index: Index) -> None:
    shelf.put("a", f':p :code "AT-7" ; :note "{"word " * 30}" ; :size 5 .')
    index.refresh()
    (found,) = index.labels.exact(["at 7"])["at 7"]
    assert (found.iri, found.kind, found.text) == ("", Kind.LITERAL, "AT-7")
    assert [one.text for one in index.labels.every([Kind.LITERAL])] == ["AT-7"]


def test_askontos_own_nodes_are_no_entities(shelf: Shelf, index: Index) -> None:
    shelf.put(
        "a",
        ':doc a onto:Document ; <http://purl.org/dc/terms/title> "Guida" ; :about :theme ;'
        ' <http://purl.org/dc/terms/language> "it" ; onto:hasChunk :chunk . :chunk a onto:Chunk ;'
        ' onto:hasContent "Short"@en ; onto:mentions :pump . :pump rdfs:label "Pump" .',
    )
    index.refresh()
    kept = {(one.text, one.kind) for one in index.labels.every(ALL)}
    assert {("Pump", Kind.ENTITY)} == {one for one in kept if one[1] != Kind.PREDICATE}


def test_replaced_and_removed_sources_leave_nothing(shelf: Shelf, index: Index) -> None:
    shelf.put("a", ':z rdfs:label "Zed Ltd" . :c rdfs:label "ACME" .')
    shelf.put("b", ':c rdfs:label "ACME" .')
    index.refresh()
    shelf.put("a", ':y rdfs:label "Ypsilon" .')
    index.refresh()
    assert names(index, "zed ltd", "ypsilon") == {("y", "entity")}
    shelf.remove("b")
    index.refresh()
    assert [one.text for one in index.labels.every(ALL)] == ["Ypsilon"]
    assert not index.labels.similar("Zed Ltd ACME", ALL, 5)
    assert not index.labels.containing("Zed ACME", ALL, 5)


def test_only_changed_sources_are_read_again(
    shelf: Shelf, index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf.put("a", ':a rdfs:label "Alpha" .')
    shelf.put("b", ':b rdfs:label "Beta" .')
    index.refresh()
    asked: list[str] = []
    select = shelf.store.select

    def counting(sparql: str, *, deadline: float | None = None) -> Solutions:
        asked.append(sparql)
        return select(sparql, deadline=deadline)

    monkeypatch.setattr(shelf.store, "select", counting)
    index.refresh()
    assert len(asked) == 1
    shelf.put("b", ':b rdfs:label "Gamma" .')
    index.refresh()
    assert not any(f"<{BASE}a>" in query for query in asked)
    assert names(index, "alpha", "gamma") == {("a", "entity"), ("b", "entity")}


def test_what_one_index_takes_in_another_finds(
    shelf: Shelf, index: Index, store: Store, tmp_path: Path
) -> None:
    other = Index(tmp_path / "index", store, BASE)
    other.refresh()
    before = other.revision
    shelf.put("a", ':a rdfs:label "Alpha" .')
    index.refresh()
    other.refresh()
    assert other.revision > before
    assert other.labels.similar("alpha", ALL, 1)
    other.close()


@pytest.mark.parametrize("text", ['x" } ; DROP ALL ; #', "%' OR 1=1 --", "a{b}[c]:d*", "𝒳 水 ñ"])
def test_hostile_labels_and_searches_are_only_texts(shelf: Shelf, index: Index, text: str) -> None:
    escaped = text.replace('"', '\\"')
    shelf.put("a", f':a rdfs:label "{escaped}" .')
    index.refresh()
    assert index.labels.similar(text, ALL, 1)[0].label.text == text
    assert index.labels.containing(text, ALL, 1)[0].label.text == text


@pytest.mark.parametrize(
    "broken",
    ["records.sqlite", "names/meta.json", "names/*.idx", "names/*.store", "names/*.fast", "*"],
)
def test_broken_folder_is_made_again(
    shelf: Shelf, store: Store, tmp_path: Path, broken: str
) -> None:
    shelf.put("a", ':a rdfs:label "Alpha" .')
    folder = tmp_path / "index"
    first = Index(folder, store, BASE, Letters())
    first.refresh()
    first.wait()
    first.close()
    for path in [one for one in folder.rglob(broken) if one.is_file()]:
        path.write_bytes(b"not what it was")
    again = Index(folder, store, BASE, Letters())
    again.refresh()
    again.wait()
    assert names(again, "alpha") == {("a", "entity")}
    assert again.labels.similar("alpha", ALL, 1)
    assert again.labels.nearest(Letters().questions(["alpha"]), ALL, 1)[0]
    again.close()


def test_lost_vectors_are_computed_again(shelf: Shelf, store: Store, tmp_path: Path) -> None:
    shelf.put("a", ':a rdfs:label "Alpha" .')
    folder = tmp_path / "index"
    first = Index(folder, store, BASE, Letters())
    first.refresh()
    first.wait()
    first.close()
    next(folder.glob("vectors-*")).write_bytes(b"")
    embedder = Letters()
    again = Index(folder, store, BASE, embedder)
    again.refresh()
    again.wait()
    assert embedder.asked == ["Alpha"]
    again.close()


def test_lexical_index_behind_the_records_is_made_again(
    shelf: Shelf, index: Index, store: Store, tmp_path: Path
) -> None:
    shelf.put("a", ':a rdfs:label "Alpha" .')
    index.refresh()
    Lexical(tmp_path / "index" / "names", ("grams", "words")).rebuild(0, [])
    again = Index(tmp_path / "index", store, BASE)
    again.refresh()
    assert again.labels.similar("alpha", ALL, 1)
    again.close()


def test_embedding_goes_on_where_it_stopped(shelf: Shelf, store: Store, tmp_path: Path) -> None:
    labels = "".join(f':n{i} rdfs:label "Label number {i}" .' for i in range(200))
    shelf.put("a", labels)
    failing = Letters(until=100)
    first = Index(tmp_path / "index", store, BASE, failing)
    first.refresh()
    with pytest.raises(ModelError, match="worn out"):
        first.wait()
    assert not first.complete
    done = first.progress().embedded
    assert 0 < done <= 100
    first.close()
    second = Letters()
    index = Index(tmp_path / "index", store, BASE, second)
    index.refresh()
    assert index.wait(20)
    assert len(second.asked) == 200 - done
    assert index.progress().embedded == index.progress().wanted == 200
    shelf.put("a", labels + ':x rdfs:label "Something new" .')
    index.refresh()
    index.wait()
    assert second.asked[-1] == "Something new"
    assert len(second.asked) == 201 - done
    index.close()


def test_an_index_that_is_closed_embeds_no_more(shelf: Shelf, store: Store, tmp_path: Path) -> None:
    shelf.put("a", ':a rdfs:label "aaab" .')
    embedder = Letters()
    index = Index(tmp_path / "index", store, BASE, embedder)
    index.close()
    index.refresh()
    time.sleep(0.3)
    assert embedder.asked == []
    index.close()


def test_nearest_label_is_found_by_its_vector(shelf: Shelf, store: Store, tmp_path: Path) -> None:
    shelf.put("a", ':a rdfs:label "aaab" . :c rdfs:label "cccd" . :a :eee :c . :c :t "aaa" .')
    embedder = Letters()
    index = Index(tmp_path / "index", store, BASE, embedder)
    index.refresh()
    assert index.wait(20)
    question = embedder.questions(["aaaa"])
    (nearest,) = index.labels.nearest(question, [Kind.ENTITY, Kind.LITERAL], 5)
    assert [one.label.text for one in nearest] == ["aaab", "cccd"]
    kept = index.vectors_of(["aaab", "cccd"])
    rest = kept["aaab"] - (kept["aaab"] + kept["cccd"]) / 2
    assert nearest[0].score == pytest.approx(float((question @ rest / np.linalg.norm(rest))[0]))
    shelf.remove("a")
    index.refresh()
    assert index.labels.nearest(question, ALL, 5) == [[]]
    index.close()


def test_without_an_embedder_the_index_is_complete_and_lexical(shelf: Shelf, index: Index) -> None:
    shelf.put("a", ':a rdfs:label "Alpha" .')
    index.refresh()
    assert index.complete
    assert index.wait()
    assert index.labels.nearest(np.ones((1, 8), np.float32), ALL, 5) == [[]]
    assert index.vectors_of(["Alpha"]) == {}


_REFRESHER = """
import sys
from pathlib import Path
from queries.store import open_embedded
from service.index.index import Index
store = open_embedded(Path(sys.argv[1]), deadline=30)
print("ready", flush=True)
Index(Path(sys.argv[2]), store, sys.argv[3]).refresh()
print("done", flush=True)
"""


def test_kill_at_any_moment_leaves_an_index_that_the_next_start_completes(
    tmp_path: Path,
) -> None:
    count = 2000
    with open_embedded(tmp_path / "store", deadline=30) as store:
        shelf = Shelf(store)
        shelf.put("a", "".join(f':n{i} rdfs:label "Label number {i}" .' for i in range(count)))
        for step in range(6):
            arguments = [str(tmp_path / "store"), str(tmp_path / f"index{step % 2}"), BASE]
            with subprocess.Popen(
                [sys.executable, "-c", _REFRESHER, *arguments], stdout=subprocess.PIPE
            ) as process:
                assert process.stdout is not None
                process.stdout.readline()
                time.sleep(0.04 + 0.1 * step)
                os.kill(process.pid, signal.SIGKILL)
        for step in range(2):
            index = Index(tmp_path / f"index{step}", store, BASE)
            index.refresh()
            assert len(list(index.labels.every([Kind.ENTITY]))) == count
            assert index.labels.similar("Label number 1777", ALL, 1)[0].label.text.endswith("1777")
            index.close()


def test_first_search_by_vectors_takes_no_time_that_grows_with_the_square(
    shelf: Shelf, store: Store, tmp_path: Path
) -> None:
    shelf.put("a", "".join(f':n{i} rdfs:label "Label number {i}" .' for i in range(4000)))
    index = Index(tmp_path / "index", store, BASE, Letters())
    index.refresh()
    index.wait()
    start = time.thread_time()
    index.labels.nearest(np.ones((1, 64), np.float32), ALL, 5)
    assert time.thread_time() - start < 0.5
    index.close()


def test_of_many_names_those_of_single_things_are_left_to_their_letters(
    shelf: Shelf, store: Store, tmp_path: Path
) -> None:
    people = "".join(f':n{i} rdfs:label "Jane Doe {i}" .' for i in range(20_001))
    shelf.put("a", people + ':t rdfs:label "time travel" .')
    embedder = Letters()
    index = Index(tmp_path / "index", store, BASE, embedder)
    index.refresh()
    assert index.wait(20)
    assert "time travel" in embedder.asked
    assert not any("Jane" in text for text in embedder.asked)
    assert index.labels.similar("Jane Doe 17", ALL, 1)[0].label.text == "Jane Doe 17"
    index.close()


def test_words_of_what_was_replaced_leave_no_trace_that_crowds_out_the_new(tmp_path: Path) -> None:
    lexical = Lexical(tmp_path, ["grams"])
    for revision in range(1, 4):
        old = range(20 * (revision - 1), 20 * revision)
        new = range(20 * revision, 20 * (revision + 1))
        lexical.replace(revision, old, [(number, ("en",), {"grams": ["abcd"]}) for number in new])
        found = lexical.search("grams", ["abcd"], 100)
        assert {number for number, _ in found} == set(new)
    assert Lexical(tmp_path, ["grams"]).revision == 3


def test_words_that_the_disk_refuses_are_an_os_error(tmp_path: Path) -> None:
    lexical = Lexical(tmp_path / "words", ["grams"])
    shutil.rmtree(tmp_path / "words")
    with pytest.raises(OSError):
        lexical.replace(1, [], [(1, ("en",), {"grams": ["abcd"]})])


def test_records_made_anew_make_the_lexical_indexes_anew(
    shelf: Shelf, store: Store, tmp_path: Path
) -> None:
    folder = tmp_path / "index"
    shelf.put("a", "".join(f':a{i} rdfs:label "alpha {i}" .' for i in range(5)))
    old = Index(folder, store, BASE)
    old.refresh()
    old.close()
    for file in folder.glob("records.sqlite*"):
        file.unlink()
    shelf.put("a", ':b rdfs:label "beta" .')
    index = Index(folder, store, BASE)
    index.refresh()
    assert index.labels.similar("alpha 3", ALL, 5) == []
    assert [one.label.text for one in index.labels.similar("beta", ALL, 5)] == ["beta"]
    index.close()


def written_vectors(folder: Path) -> np.ndarray:
    (file,) = folder.glob("vectors-*.f32")
    return np.fromfile(file, np.float32).reshape(-1, 64)


def test_vectors_of_what_was_removed_are_blanked_and_the_others_stay(
    shelf: Shelf, store: Store, tmp_path: Path
) -> None:
    folder = tmp_path / "index"
    shelf.put("a", ':a rdfs:label "aaab" . :b rdfs:label "shared" .')
    shelf.put("b", ':c rdfs:label "cccd" . :d rdfs:label "shared" .')
    embedder = Letters()
    index = Index(folder, store, BASE, embedder)
    index.refresh()
    assert index.wait(20)
    index.close()
    shelf.remove("a")
    lexical = Index(folder, store, BASE)  # as `askonto unload` opens it
    lexical.refresh()
    lexical.close()
    kept = written_vectors(folder)
    assert len(kept) == 3
    assert sum(not row.any() for row in kept) == 1
    assert b"aaab" not in (folder / "records.sqlite").read_bytes()
    again = Index(folder, store, BASE, embedder)
    again.refresh()
    assert again.wait(20)
    assert again.vectors_of(["aaab"]) == {}
    assert set(again.vectors_of(["shared", "cccd"])) == {"shared", "cccd"}
    shelf.put("a", ':a rdfs:label "aaab" .')
    again.refresh()
    assert again.wait(20)
    assert again.vectors_of(["aaab"])["aaab"].any()
    again.close()


class Unloading(Letters):
    """Letters that remove a graph in the middle of their first batch."""

    def __init__(self, index: Index, shelf: Shelf) -> None:
        super().__init__()
        self.index, self.shelf = index, shelf

    def passages(self, texts: Sequence[str]) -> Vectors:
        if not self.asked:
            self.shelf.remove("a")
            self.index.refresh()
        return super().passages(texts)


def test_what_is_removed_while_it_is_embedded_leaves_no_vector(
    shelf: Shelf, store: Store, tmp_path: Path
) -> None:
    folder = tmp_path / "index"
    shelf.put("a", ':a rdfs:label "aaab" .')
    lexical = Index(folder, store, BASE)
    index = Index(folder, store, BASE, Unloading(lexical, shelf))
    index.refresh()
    assert index.wait(20)
    index.close()
    lexical.close()
    assert not written_vectors(folder).any()
