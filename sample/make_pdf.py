"""Writes documents/conto-termico-3.pdf, the sample's PDF file, from the text below."""

from __future__ import annotations

from pathlib import Path

TITLE = "Conto Termico 3.0 in breve"
PAGES = (
    (
        ("H", "Conto Termico 3.0 in breve"),
        ("P", "Il Conto Termico 3.0 è un contributo a fondo perduto per chi migliora l'efficienza"),
        ("P", "di un edificio o produce calore da fonti rinnovabili. È gestito dal GSE."),
        ("P", "Il decreto del 7 agosto 2025 è in vigore dal 25 dicembre 2025."),
        ("H", "Quanto copre"),
        ("P", "L'incentivo non supera il 65% delle spese sostenute."),
        ("P", "Nei Comuni fino a 15.000 abitanti copre il 100% delle spese ammissibili"),
        ("P", "per gli edifici di proprietà comunale usati dal Comune stesso."),
    ),
    (
        ("H", "Come viene pagato"),
        ("P", "Fino a 15.000 euro il GSE paga il contributo ai privati in un'unica rata."),
        ("P", "Gli importi più alti sono versati in rate annuali, da due a cinque."),
        ("H", "Fondi disponibili"),
        ("P", "Ogni anno sono disponibili 900 milioni di euro: 400 milioni per le pubbliche"),
        ("P", "amministrazioni e 500 milioni per i privati."),
    ),
)


def pdf() -> bytes:
    """The file: two pages in Helvetica, text in WinAnsi, title and language in its catalog."""
    info = f"<< /Title {_text(TITLE)} /Author {_text('GSE')} /CreationDate (D:20260101000000Z) >>"
    font = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
    kids = " ".join(f"{5 + 2 * number} 0 R" for number in range(len(PAGES)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R /Lang (it) >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(PAGES)} >>".encode(),
        font.encode(),
        info.encode("cp1252"),
    ]
    for number, lines in enumerate(PAGES):
        page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842]"
        page += f" /Resources << /Font << /F 3 0 R >> >> /Contents {6 + 2 * number} 0 R >>"
        body = _drawn(lines, number + 1)
        objects += [page.encode(), b"<< /Length %d >>\nstream\n%s\nendstream" % (len(body), body)]
    return _assembled(objects)


def _drawn(lines: tuple[tuple[str, str], ...], number: int) -> bytes:
    drawn, height = [], 780
    for kind, line in lines:
        size, space = (16, 40) if kind == "H" else (11, 16)
        height -= space
        drawn.append(f"BT /F {size} Tf 60 {height} Td {_text(line)} Tj ET")
    drawn.append(f"BT /F 9 Tf 290 40 Td ({number}) Tj ET")
    return "\n".join(drawn).encode("cp1252")


def _text(line: str) -> str:
    for sign in "\\()":
        line = line.replace(sign, "\\" + sign)
    return f"({line})"


def _assembled(objects: list[bytes]) -> bytes:
    data, offsets = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        offsets.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    size, start = len(objects) + 1, len(data)
    data += b"xref\n0 %d\n0000000000 65535 f \n%s" % (size, table)
    data += b"trailer\n<< /Size %d /Root 1 0 R /Info 4 0 R >>\n" % size
    return data + b"startxref\n%d\n%%%%EOF\n" % start


if __name__ == "__main__":
    Path(__file__).with_name("documents").joinpath("conto-termico-3.pdf").write_bytes(pdf())
