"""What DOCX files give, and which of them are refused."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from datetime import date

import pytest

from loaders.sources import docx
from loaders.sources.limits import Limits
from loaders.sources.reading import Reading
from loaders.sources.recognise import Kind, Unsupported, recognise
from loaders.text.blocks import Kind as BlockKind
from ontology.errors import InputError

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
STRICT = "http://purl.oclc.org/ooxml/wordprocessingml/main"
STYLES = f"""<w:styles xmlns:w="{W}">
<w:style w:styleId="Titolo1"><w:name w:val="heading 1"/></w:style>
<w:style w:styleId="Mio"><w:name w:val="Mio"/><w:basedOn w:val="Titolo2"/></w:style>
<w:style w:styleId="Titolo2"><w:name w:val="Altro"/>
  <w:pPr><w:outlineLvl w:val="1"/></w:pPr></w:style>
<w:style w:styleId="Punto"><w:name w:val="List Bullet"/>
  <w:pPr><w:numPr><w:numId w:val="2"/></w:numPr></w:pPr></w:style>
<w:style w:styleId="Giro"><w:name w:val="Giro"/><w:basedOn w:val="Giro"/></w:style>
<w:style w:styleId="Sommario1"><w:name w:val="toc 1"/></w:style>
</w:styles>"""
CORE = """<cp:coreProperties xmlns:cp="http://e/cp" xmlns:dc="http://purl.org/dc/elements/1.1/"
 xmlns:dcterms="http://purl.org/dc/terms/"><dc:title>Bonus caldaie</dc:title>
<dc:creator>Agenzia</dc:creator><dc:language>it-IT</dc:language>
<dcterms:created>2025-01-24T10:30:00Z</dcterms:created></cp:coreProperties>"""


def archive(parts: Mapping[str, str | bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in parts.items():
            packed.writestr(name, content)
    return file.getvalue()


def word(body: str, namespace: str = W, **parts: str) -> bytes:
    text = f'<w:document xmlns:w="{namespace}"><w:body>{body}</w:body></w:document>'
    others = {name.replace("_", "/") + ".xml": part for name, part in parts.items()}
    return archive({"word/document.xml": text, "word/styles.xml": STYLES, **others})


def paragraph(text: str, style: str = "", properties: str = "") -> str:
    named = f'<w:pStyle w:val="{style}"/>' if style else ""
    return f"<w:p><w:pPr>{named}{properties}</w:pPr>{run(text)}</w:p>"


def run(text: str, properties: str = "") -> str:
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def item(text: str, depth: int = 0) -> str:
    numbering = f'<w:numPr><w:ilvl w:val="{depth}"/><w:numId w:val="1"/></w:numPr>'
    return paragraph(text, properties=numbering)


def row(*cells: str, properties: str = "") -> str:
    inside = "".join(f"<w:tc>{cell}</w:tc>" for cell in cells)
    return f"<w:tr><w:trPr>{properties}</w:trPr>{inside}</w:tr>"


def read(body: str, **parts: str) -> Reading:
    return docx.read(word(body, **parts), "a.docx")


def told(reading: Reading) -> list[tuple[str, str, str]]:
    return [(str(block.kind), block.text, block.context) for block in reading.blocks]


def test_headings_are_told_by_style_name_outline_and_basis() -> None:
    body = (
        paragraph("Bonus", "Titolo1") + paragraph("Limiti", "Mio") + paragraph("Si paga.", "Giro")
    )
    reading = read(body)
    assert [(block.text, block.level) for block in reading.blocks][:2] == [
        ("Bonus", 1),
        ("Limiti", 2),
    ]
    assert reading.blocks[2].context == "Bonus › Limiti"


def test_items_stand_under_their_lead_in_and_inner_ones_under_their_item() -> None:
    body = paragraph("Si paga:") + item("forni") + item("di classe A", 1) + item("frighi")
    body += paragraph("Anche altro.") + paragraph("stufe", "Punto")
    assert told(read(body)) == [
        ("paragraph", "Si paga:", ""),
        ("item", "forni", "Si paga:"),
        ("item", "di classe A", "forni"),
        ("item", "frighi", "Si paga:"),
        ("paragraph", "Anche altro.", ""),
        ("item", "stufe", "Anche altro."),
    ]


def test_heading_with_a_number_is_no_item() -> None:
    numbered = '<w:numPr><w:numId w:val="1"/></w:numPr>'
    assert read(paragraph("Ambito", "Titolo1", numbered)).blocks[0].kind is BlockKind.HEADING
    off = '<w:numPr><w:numId w:val="0"/></w:numPr>'
    assert read(paragraph("Ambito.", "Punto", off)).blocks[0].kind is BlockKind.PARAGRAPH


def test_rows_have_their_header_cells() -> None:
    head = row(paragraph("Anno"), paragraph("Limite"), properties="<w:tblHeader/>")
    bold = row(f"<w:p>{run('Anno', '<w:b/>')}</w:p>", f"<w:p>{run('Limite', '<w:b/>')}</w:p>")
    for first in (head, bold):
        table = f"<w:tbl>{first}{row(paragraph('2024'), paragraph('5.000'))}</w:tbl>"
        assert told(read(paragraph("Limiti di spesa.") + table))[1:] == [
            ("row", "2024\t5.000", "Limiti di spesa.; Anno: 2024; Limite: 5.000")
        ]


def test_merged_cells_stand_in_each_row_and_keep_the_columns() -> None:
    def merged(text: str, how: str) -> str:
        return f'<w:tcPr><w:vMerge w:val="{how}"/></w:tcPr>{paragraph(text)}'

    wide = f'<w:tcPr><w:gridSpan w:val="2"/></w:tcPr>{paragraph("insieme")}'
    rows = row(merged("Caldaie", "restart"), paragraph("A"), paragraph("1"))
    rows += row(merged("", "continue"), paragraph("B"), paragraph("2")) + row(paragraph("C"), wide)
    texts = [block.text for block in read(f"<w:tbl>{rows}</w:tbl>").blocks]
    assert texts == ["Caldaie\tA\t1", "Caldaie\tB\t2", "C\tinsieme\t"]


def test_notes_and_text_boxes_stand_once_after_their_paragraph() -> None:
    box = f"<w:txbxContent>{paragraph('Nel riquadro.')}</w:txbxContent>"
    both = f'<m:x xmlns:m="http://m"><m:Choice>{box}</m:Choice><m:Fallback>{box}</m:Fallback></m:x>'
    reference = '<w:r><w:footnoteReference w:id="2"/></w:r>'
    notes = f'<w:footnotes xmlns:w="{W}"><w:footnote w:type="separator" w:id="0"/>'
    notes += f'<w:footnote w:id="2">{paragraph("Legge 90.")}</w:footnote></w:footnotes>'
    body = f"<w:p>{run('Si paga.')}{reference}<w:r>{both}</w:r></w:p>{paragraph('Fine.')}"
    texts = [block.text for block in read(body, word_footnotes=notes).blocks]
    assert texts == ["Si paga.", "Legge 90.", "Nel riquadro.", "Fine."]


def test_deleted_and_hidden_words_and_the_contents_are_left_out() -> None:
    changed = f"<w:ins>{run('50 %')}</w:ins><w:del><w:r><w:delText>40 %</w:delText></w:r></w:del>"
    body = f"<w:p>{run('Vale il ')}{changed}{run(' segreto', '<w:vanish/>')}</w:p>"
    reading = read(paragraph("Bonus  3", "Sommario1") + body)
    assert [block.text for block in reading.blocks] == ["Vale il 50 %"]
    assert reading.warnings == ("hidden text found",)


def test_content_controls_links_and_both_namespaces_are_read() -> None:
    link = f"<w:hyperlink>{run('qui')}</w:hyperlink>"
    body = f"<w:sdt><w:sdtContent><w:p>{run('Vedi ')}{link}<w:r><w:tab/></w:r>{run('ora')}</w:p>"
    body += "</w:sdtContent></w:sdt>"
    for namespace in (W, STRICT):
        reading = docx.read(word(body, namespace), "a.docx")
        assert [block.text for block in reading.blocks] == ["Vedi qui ora"]


def test_properties_are_title_publisher_language_and_day() -> None:
    reading = read(paragraph("Parole."), docProps_core=CORE)
    assert (reading.title, reading.publisher, reading.language, reading.issued) == (
        "Bonus caldaie",
        "Agenzia",
        "it",
        date(2025, 1, 24),
    )
    named = CORE.replace("Bonus caldaie", "bozza.docx").replace("2025-01-24", "mai")
    assert read(paragraph("Parole."), docProps_core=named).title == ""


def test_content_tells_a_docx_and_not_its_name() -> None:
    assert recognise(word(paragraph("x")), "x.bin") is Kind.DOCX
    with pytest.raises(Unsupported, match="no DOCX"):
        recognise(archive({"xl/workbook.xml": "<x/>"}), "x.docx")
    with pytest.raises(Unsupported, match="password needed"):
        recognise(b"\xd0\xcf\x11\xe0" + "EncryptedPackage".encode("utf-16-le"), "x.docx")


def locked() -> bytes:
    data = bytearray(word(paragraph("x")))
    for sign, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = data.find(sign)
        while at >= 0:
            data[at + place] |= 1
            at = data.find(sign, at + 1)
    return bytes(data)


DOCTYPE = '<!DOCTYPE x [<!ENTITY a "b"><!ENTITY c "&a;&a;">]>'
BAD = {
    "cut": (word(paragraph("x"))[:-40], "ZIP archive is broken"),
    "spoiled": (
        word(paragraph("x" * 500)).replace(b"word/document", b"worm/document", 1),
        "broken",
    ),
    "without text": (archive({"other/word/document.xml": "<x/>"}), "text is missing"),
    "no xml": (archive({"word/document.xml": "<w:document"}), "no XML"),
    "doctype": (archive({"word/document.xml": DOCTYPE + "<x>&c;</x>"}), "document type"),
    "deep": (archive({"word/document.xml": "<a>" * 9_000 + "</a>" * 9_000}), "no XML"),
    "locked": (locked(), "password needed"),
    "bomb": (archive({"word/document.xml": b" " * 2_000_000}), "too many bytes"),
}


@pytest.mark.parametrize("which", BAD)
def test_bad_file_is_refused_with_one_reason_and_a_mend(which: str) -> None:
    data, reason = BAD[which]
    assert recognise(data, "x.docx") is Kind.DOCX
    with pytest.raises(InputError, match=reason) as caught:
        docx.read(data, "x.docx", Limits(document_bytes=1_000_000))
    assert caught.value.mend
    assert caught.value.name == "x.docx"


def test_archive_of_very_many_parts_is_refused() -> None:
    with pytest.raises(InputError, match="parts"):
        docx.read(b"PK\x03\x04" + b"PK\x01\x02" * 10_001, "x.docx")


def test_tables_inside_tables_lose_no_words_however_deep() -> None:
    body = paragraph("Il fondo.")
    for _ in range(60):
        body = f"<w:tbl>{row(body)}</w:tbl>"
    assert [block.text for block in read(body).blocks] == ["Il fondo."]
