"""Files, folders, URLs and lists as single items."""

from __future__ import annotations

from pathlib import Path

import pytest

from loaders.addresses import AddressError, Item, items, listed
from loaders.receipt import Refusal


def names(found: list[Item | Refusal]) -> list[str]:
    return [one.path.name if isinstance(one, Item) and one.path else "refused" for one in found]


def test_folder_gives_its_files_without_hidden_ones(tmp_path: Path) -> None:
    for name in ("b.ttl", "a.md", ".hidden", "deep/c.txt", ".git/config"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    found = list(items(str(tmp_path)))
    assert names(found) == ["a.md", "b.ttl", "c.txt"]
    assert all(isinstance(one, Item) and one.found for one in found)


def test_empty_folder_and_missing_file_are_refused(tmp_path: Path) -> None:
    for text in (str(tmp_path), str(tmp_path / "absent"), "nul\0.pdf", "~nobody-here/x"):
        (refusal,) = items(text)
        assert isinstance(refusal, Refusal)
        assert "\0" not in refusal.line


def test_link_out_of_the_folder_is_refused_and_one_within_is_not(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("x")
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "out.txt").symlink_to(secret)
    (folder / "own.txt").write_text("x")
    (folder / "self").symlink_to(folder)
    assert names(list(items(str(folder)))) == ["refused", "own.txt"] or names(
        list(items(str(folder)))
    ) == ["own.txt", "refused"]


def test_links_round_in_a_circle_do_not_stop_the_folders_other_files(tmp_path: Path) -> None:
    (tmp_path / "a.txt").symlink_to(tmp_path / "b.txt")
    (tmp_path / "b.txt").symlink_to(tmp_path / "a.txt")
    (tmp_path / "own.txt").write_text("x")
    assert names(list(items(str(tmp_path)))) == ["a.txt", "b.txt", "own.txt"]
    assert names(list(items(f"{tmp_path}/*.txt"))) == ["a.txt", "b.txt", "own.txt"]


def test_a_file_has_one_address_however_it_is_spelled(tmp_path: Path) -> None:
    (tmp_path / "a b.ttl").write_text("x")
    spellings = [tmp_path / "a b.ttl", tmp_path / "." / ".." / tmp_path.name / "a b.ttl"]
    addresses = {one.address for text in spellings for one in items(str(text))}
    assert addresses == {(tmp_path / "a b.ttl").as_uri()}


def test_undecodable_name_has_an_address(tmp_path: Path) -> None:
    path = tmp_path.joinpath(b"\xff.ttl".decode("utf-8", "surrogateescape"))
    path.write_text("x")
    (item,) = items(str(path))
    assert isinstance(item, Item)
    item.address.encode()
    item.name.encode()


def test_list_gives_addresses_titles_and_refuses_row_by_row(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("x")
    rows = [
        "file\turl\ttitle\tlanguage\tother",
        "a.html\thttps://example.org/a\tA title\tit\tx",
        "absent.html\thttps://example.org/b\t\t\t",
        "a.html\tjavascript:alert(1)\t\t\t",
        "a.html\t\t\t\t",
    ]
    (tmp_path / "list.tsv").write_text("\n".join(rows))
    good, absent, script, plain = listed(tmp_path / "list.tsv")
    assert isinstance(good, Item)
    assert (good.address, good.title, good.language) == ("https://example.org/a", "A title", "it")
    assert isinstance(absent, Refusal)
    assert absent.error.place == "line 3"
    assert isinstance(script, Refusal)
    assert isinstance(plain, Item)
    assert plain.address.startswith("file://")


def test_list_of_plain_addresses_has_paths_patterns_and_urls(tmp_path: Path) -> None:
    for name in ("a.md", "b.md", "c.txt"):
        (tmp_path / name).write_text("x")
    text = "# what to load\n\nc.txt\n*.md\nhttps://example.org/page?x=1\nabsent.pdf\n"
    (tmp_path / "list.txt").write_text(text)
    *found, absent = listed(tmp_path / "list.txt")
    assert isinstance(absent, Refusal)
    addresses = [one.address.rpartition("/")[2] for one in found]
    assert addresses == ["c.txt", "a.md", "b.md", "page?x=1"]


def test_what_is_no_list_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.tsv").write_text("a\tb\n1\t2\n")
    (tmp_path / "empty.txt").write_text("\n# nothing\n")
    for name in ("x.tsv", "absent.tsv", "empty.txt"):
        with pytest.raises(AddressError):
            list(listed(tmp_path / name))


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    for name in ("a.pdf", "b.md", "[x].pdf", "deep/c.pdf", "deep/.d.pdf", "deep/er/e.pdf"):
        path = tmp_path / "docs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    return tmp_path / "docs"


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("*.pdf", ["[x].pdf", "a.pdf"]),
        ("**/*.pdf", ["[x].pdf", "a.pdf", "c.pdf", "e.pdf"]),
        ("**", ["[x].pdf", "a.pdf", "b.md", "c.pdf", "e.pdf"]),
        ("?.md", ["b.md"]),
        ("de*", ["c.pdf", "e.pdf"]),
        ("[x].pdf", ["[x].pdf"]),
        ("[ab].*", ["a.pdf", "b.md"]),
    ],
)
def test_pattern_gives_what_matches_and_a_name_itself(
    papers: Path, pattern: str, found: list[str]
) -> None:
    assert names(list(items(f"{papers}/{pattern}"))) == found


def test_pattern_that_matches_nothing_is_refused_by_its_name(papers: Path) -> None:
    for pattern in (f"{papers}/*.docx", f"{papers}/**/*.docx", "~nobody-here/*.pdf"):
        (refusal,) = items(pattern)
        assert isinstance(refusal, Refusal)
        assert refusal.line.startswith(pattern)


def test_file_that_matches_by_many_ways_is_one(papers: Path) -> None:
    (papers / "deep" / "self").symlink_to(papers)
    (papers / "deep" / "nowhere.pdf").symlink_to(papers / "absent.pdf")
    assert len(list(items(f"{papers}/**/a.pdf"))) == 1
    assert names(list(items(f"{papers}/deep/*.pdf"))) == ["c.pdf", "absent.pdf"]


def test_url_with_a_question_mark_is_no_pattern() -> None:
    (item,) = items("https://example.org/a?b=*")
    assert isinstance(item, Item)
    assert item.url == "https://example.org/a?b=*"
