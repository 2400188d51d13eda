"""Whether what the sources do not tell is refused, and what they tell is not.

    python -m benchmarks.abstention DATA [SET …]

asks each set's own questions, and the unanswerable ones that `benchmarks.unanswerable` makes of
them, through the whole service without a language model. Bars, Italian and English: at most 0.10
of the answerable refused, at least 0.75 of the unanswerable. DATA is the folder of all sets.
"""

from __future__ import annotations

import json
import os
import re
import statistics
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from benchmarks.unanswerable import (
    ANSWERABLE,
    SOURCE,
    Asked,
    Graph,
    found_in,
    of_documents,
    of_graph,
    properties_of,
)
from loaders.addresses import Item, items, listed
from loaders.iris import Iris
from loaders.load import Loader
from loaders.receipt import Refusal
from queries.store import open_embedded
from service.answering.answer import Answering
from service.answering.facts import Facts
from service.answering.passages import PassageAnswers
from service.answering.question import Question
from service.answering.reply import Reply
from service.answering.sources import Sources
from service.index.index import Index
from service.models.embedding import open_embedder
from service.models.kept import KeptEmbedder

BASE = "https://example.org/data/"
AS_OF = date(2025, 6, 1)
MOST = 100  # answerable questions of a set and language
FOLDS = 4  # parts in which sources are removed


@dataclass(frozen=True)
class Service:
    """The service over one set; `whole` waits until all names have vectors."""

    loader: Loader
    index: Index
    answering: Answering
    whole: bool

    def load(self, wanted: Iterable[Item | Refusal]) -> None:
        """Load the items and index them."""
        for receipt in self.loader.load(wanted):
            assert not isinstance(receipt, Refusal), receipt
        self._follow()

    def unload(self, addresses: Iterable[str]) -> None:
        """Remove sources."""
        for address in addresses:
            self.loader.unload(address)
        self._follow()

    def answer(self, asked: Asked) -> Reply:
        """The reply to a question."""
        return self.answering.answer(Question(asked.text, asked.language, AS_OF))

    def _follow(self) -> None:
        self.index.refresh()
        if self.whole:
            self.index.wait()
        self.answering.prepare()


@contextmanager
def service(*, whole: bool = True) -> Iterator[Service]:
    """An empty one."""
    embedder = open_embedder(None, None, None, seconds=60)
    assert embedder is not None, "install the extra [local]"
    with (
        tempfile.TemporaryDirectory() as name,
        open_embedded(Path(name) / "store", deadline=60) as store,
    ):
        kept = KeptEmbedder(embedder, Path(name) / "questions.sqlite")
        folder = Path(name) / "index"
        index = Index(folder, store, BASE, kept if whole else None)
        answering = Answering(
            index=index,
            sources=Sources(store, Iris(BASE)),
            facts=Facts(store, index, folder, kept),
            passages=PassageAnswers(index),
            embedder=kept,
        )
        try:
            yield Service(Loader(store, Iris(BASE)), index, answering, whole)
        finally:
            answering.close()
            index.close()


@dataclass(frozen=True)
class Trial:
    """Sources, the questions that they answer, and those made of them that they do not.

    `folder` holds the sources' files for as long as the trial lives.
    """

    wanted: Sequence[Item | Refusal]
    answerable: Sequence[Asked]
    unanswerable: Sequence[Asked]
    whole: bool = True
    folder: tempfile.TemporaryDirectory[str] | None = None

    @classmethod
    def of_graph(
        cls,
        files: Sequence[Path],
        asked: Sequence[Asked],
        graph: Graph,
        *,
        whole: bool = True,
        rounds: int = 1,
    ) -> Trial:
        """Over a graph; names wait for their vectors if `whole`."""
        wanted = [item for file in files for item in items(str(file))]
        return cls(wanted, asked, list(of_graph(asked, graph, rounds)), whole)

    @classmethod
    def of_texts(
        cls,
        wanted: Iterable[Item | Refusal],
        asked: Sequence[Asked],
        folder: tempfile.TemporaryDirectory[str] | None = None,
    ) -> Trial:
        """Over documents."""
        return cls(list(wanted), asked, list(of_documents(asked)), folder=folder)

    def replies(self) -> Iterator[tuple[Asked, Reply]]:
        """What is replied to each question; those of one part of the sources while it is away."""
        parts = sorted(
            (one for one in self.unanswerable if one.kind == SOURCE),
            key=lambda one: min(one.sources),
        )
        addresses = {_named(item): item for item in self.wanted if isinstance(item, Item)}
        with service(whole=self.whole) as running:
            running.load(self.wanted)
            for asked in (*self.answerable, *self.unanswerable):
                if asked.kind != SOURCE:
                    yield asked, running.answer(asked)
            size = -(-len(parts) // FOLDS)
            for part in (parts[start : start + size] for start in range(0, len(parts), size or 1)):
                left = sorted({name for asked in part for name in asked.sources})
                running.unload(addresses[name].address for name in left)
                for asked in part:
                    yield asked, running.answer(asked)
                running.load(addresses[name] for name in left)


def _named(item: Item) -> str:
    return item.path.name if item.path else item.address


def mse_kg(folder: Path) -> Trial:
    """KGMistral's questions over the MSE graph."""
    lines = (folder / "questions-dev.jsonl").read_text("utf-8").splitlines()
    graph = Graph.from_files([folder / "mse-kg.ttl"])
    asked = []
    for one in map(json.loads, lines):
        names = re.findall(r'"([^"]{3,})"', one["sparql"])
        mention = found_in(one["question"], names)
        entity = next((iri for iri, name in graph.names.items() if name in names), "")
        asked.append(
            Asked(
                one["question"],
                one["lang"],
                mention=mention,
                entity=entity,
                properties=properties_of(one["sparql"]),
            )
        )
    return Trial.of_graph([folder / "mse-kg.ttl"], asked, graph, rounds=3)


def metaqa(folder: Path) -> Trial:
    """Film questions of one to three hops."""
    predicates = {
        "director": "directed_by",
        "writer": "written_by",
        "actor": "starred_actors",
        "year": "release_year",
        "genre": "has_genre",
        "language": "in_language",
        "tags": "has_tags",
        "tag": "has_tags",
        "imdbvotes": "has_imdb_votes",
        "imdbrating": "has_imdb_rating",
    }
    rows = [q for q in json.loads((folder / "dev.json").read_text("utf-8")) if q["verified"]]
    files = [folder / "metaqa-kb.nt.gz"]
    graph = Graph.from_files(files)
    iris = {name: iri for iri, name in graph.names.items()}
    asked = [
        Asked(
            q["question"],
            "en",
            mention=found_in(q["question"], [q["head"]]),
            entity=iris.get(q["head"], ""),
            properties=frozenset(
                predicates[part] for part in q["qtype"].split("_to_")[:2] if part in predicates
            ),
        )
        for q in rows[:: max(1, len(rows) // MOST)]
    ]
    return Trial.of_graph(files, asked, Graph.from_files(files), whole=False)


def pathquestion(folder: Path) -> Trial:
    """Chains of two and three relations."""
    rows = [
        q
        for q in json.loads((folder / "dev.json").read_text("utf-8"))
        if q["set"] in {"PQ-2H", "PQ-3H"}
    ]
    asked = [
        Asked(
            q["question"],
            "en",
            mention=found_in(q["question"], [q["subject"], q["subject"].replace("_", " ")]),
            entity=q["subject_iri"],
            properties=frozenset(q["relations"][:1]),
        )
        for q in rows[:: max(1, len(rows) // MOST)]
    ]
    files = [folder / "PQ-union-kb.nt.gz"]
    return Trial.of_graph(files, asked, Graph.from_files(files), whole=False)


def wc2014(folder: Path) -> Trial:
    """Paths and conjunctions over footballers."""
    rows = [
        q
        for q in json.loads((folder / "dev.json").read_text("utf-8"))
        if q["set"] in {"WC-P2", "WC-C"}
    ]
    asked = []
    for q in rows[:: max(1, len(rows) // MOST)]:
        name, relation, *_ = q["paths"][0].split("#")
        asked.append(
            Asked(
                q["question"],
                "en",
                mention=found_in(q["question"], [name, name.replace("_", " ")]),
                entity=f"http://pathquestion.example/e/{name}",
                properties=frozenset([relation, relation.removesuffix("_inverse")]),
            )
        )
    files = [folder / "WC2014-kb.nt.gz"]
    return Trial.of_graph(files, asked, Graph.from_files(files), whole=False)


def qald(folder: Path) -> Trial:
    """QALD-9 in English and Italian."""
    files = [folder / "qald-mini-kg.nt.gz"]
    graph = Graph.from_files(files)
    rows = json.loads((folder / "dev.json").read_text("utf-8"))
    asked = []
    for language in ("en", "it"):
        spoken = [q for q in rows if language in q["questions"] and len(q["entities"]) < 2]
        for q in spoken[:: max(1, len(spoken) // MOST)]:
            text, entity = q["questions"][language], "".join(q["entities"])
            mention = found_in(text, [graph.name(entity)]) if entity else ""
            properties = frozenset(re.split("[/#]", iri)[-1] for iri in q["properties"])
            asked.append(
                Asked(
                    text,
                    language,
                    mention=mention,
                    entity=entity,
                    properties=properties - {"type"},
                )
            )
    return Trial.of_graph(files, asked, Graph.from_files(files))


def talk2power(folder: Path) -> Trial:
    """Questions to a power grid, in English."""
    files = [folder / "nordic44_telemark.nt.gz"]
    rows = json.loads((folder / "dev.json").read_text("utf-8"))
    asked = [
        Asked(
            q["question"],
            "en",
            mention=q["mentions"][0]["mention"] if len(q["mentions"]) == 1 else "",
            entity=q["mentions"][0]["iri"] if q["mentions"] else "",
            properties=properties_of(q["sparql"]),
        )
        for q in rows[:: max(1, len(rows) // MOST)]
    ]
    return Trial.of_graph(files, asked, Graph.from_files(files))


def energenius(folder: Path) -> Trial:
    """The ENERGENIUS paper's questions over its pages, in Italian and English."""
    wanted = listed(folder / "pages" / "index.tsv")
    asked = []
    for line in (folder / "questions-dev.jsonl").read_text("utf-8").splitlines():
        q = json.loads(line)
        sources = frozenset([q["source_file"], *(q.get("alt_source_files") or ())])
        asked += [Asked(q[f"question_{tag}"], tag, sources=sources) for tag in ("it", "en")]
    return Trial.of_texts(wanted, asked)


def enea(folder: Path) -> Trial:
    """Official questions, each answer a text of its own, in Italian."""
    pairs = json.loads((folder / "dev.json").read_text("utf-8"))
    texts = {f"answer-{number}.txt": pair["answer"] for number, pair in enumerate(pairs)}
    asked = [
        Asked(pair["question"], "it", sources=frozenset([name]))
        for pair, name in zip(pairs, texts, strict=True)
    ]
    return _written(texts, asked)


def qa4faq(folder: Path) -> Trial:
    """A water utility's FAQ and what its users asked, in Italian."""
    texts = {
        f"faq-{one['id']}.md": f"# {one['question']}\n\n{one['answer']}\n\n{one['tag']}\n"
        for one in json.loads((folder / "faq.json").read_text("utf-8"))
    }
    rows = json.loads((folder / "dev.json").read_text("utf-8"))
    asked = [
        Asked(q["text"], "it", sources=frozenset(f"faq-{number}.md" for number in q["relevant"]))
        for q in rows[:: max(1, len(rows) // MOST)]
    ]
    return _written(texts, asked)


def squad_it(folder: Path) -> Trial:
    """Italian questions, each of one paragraph."""
    entries = json.loads((folder / "dev.json").read_text("utf-8"))
    names = {one["context"]: f"text-{number}.txt" for number, one in enumerate(entries)}
    asked = [
        Asked(one["question"], "it", sources=frozenset([names[one["context"]]]))
        for one in entries[:: max(1, len(entries) // MOST)]
    ]
    return _written({name: text for text, name in names.items()}, asked)


def _written(texts: dict[str, str], asked: Sequence[Asked]) -> Trial:
    folder = tempfile.TemporaryDirectory()
    wanted = []
    for name, text in texts.items():
        path = Path(folder.name) / name
        path.write_text(text, "utf-8")
        wanted.append(Item(address=path.as_uri(), path=path, language="it"))
    return Trial.of_texts(wanted, asked, folder)


SETS: dict[str, tuple[str, Callable[[Path], Trial]]] = {
    "mse-kg": ("mse-kg", mse_kg),
    "pathquestion": ("pathquestion", pathquestion),
    "wc2014": ("pathquestion", wc2014),
    "metaqa": ("metaqa", metaqa),
    "qald": ("qald", qald),
    "talk2power": ("talk2power", talk2power),
    "energenius": ("energenius", energenius),
    "enea-gse": ("enea-gse", enea),
    "qa4faq": ("qa4faq", qa4faq),
    "squad-it": ("squad-it", squad_it),
}


def measured(name: str, trial: Trial) -> None:
    """Print the share refused of each kind, by language."""
    refused: dict[tuple[str, str], list[bool]] = defaultdict(list)
    for asked, reply in trial.replies():
        refused[asked.language, asked.kind].append(reply.abstained)
    for language in sorted({language for language, _ in refused}):
        shares = {k: statistics.mean(v) for (tag, k), v in refused.items() if tag == language}
        known = shares.pop(ANSWERABLE)
        kinds = ", ".join(f"{kind} {share:.2f}" for kind, share in shares.items())
        print(
            f"{name} {language}: answerable refused {known:.2f} of "
            f"{len(refused[language, ANSWERABLE])}; unanswerable "
            f"{statistics.mean(shares.values()):.2f} ({kinds})",
            flush=True,
        )


def main() -> int:
    """Measure with the folder named on the command line."""
    data = Path(sys.argv[1] if len(sys.argv) > 1 else "absent")
    for name in sys.argv[2:] or SETS:
        folder, made = SETS[name]
        if (data / folder).is_dir():
            measured(name, made(data / folder))
        else:
            print(f"skipped: {data / folder} is not there")
    print(f"load {os.getloadavg()[0]:.1f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
