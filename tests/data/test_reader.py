"""Files of sentence pairs: every bad row is counted with its line, and dropped or refused by rule."""

import gzip
import io
import zipfile
from pathlib import Path

import pytest

from attnbook.data import reader
from attnbook.data.reader import Report, read_pairs

GOOD = [f"I see {n} cats.\tJe vois {n} chats." for n in range(100)]


@pytest.fixture
def read(tmp_path):
    def write_and_read(*contents: bytes):
        paths = []
        for number, content in enumerate(contents):
            paths.append(tmp_path / f"file{number}.tsv")
            paths[-1].write_bytes(content)
        report = Report("file")
        return list(read_pairs(paths, report)), report

    return write_and_read


def lines(changed: dict[int, bytes] | None = None, end: bytes = b"\n") -> bytes:
    """The good lines, some of them replaced, counted from 1."""
    content = [line.encode() for line in GOOD]
    for number, line in (changed or {}).items():
        content[number - 1] = line
    return b"".join(line + end for line in content)


def test_read_pairs_yields_rows_with_line_numbers(read):
    found, report = read(lines())
    assert [(row.source, row.target, row.line) for row in found] == [
        (*line.split("\t"), number) for number, line in enumerate(GOOD, start=1)
    ]
    assert report.rows == 100 and report.counts == {}
    assert read(lines().rstrip(b"\n"))[0] == read(gzip.compress(lines()))[0] == found


BAD = {
    "one column": (b"no tab", reader.COLUMNS),
    "three columns": (b"a\tb\tc", reader.COLUMNS),
    "an empty line": (b"", reader.COLUMNS),
    "an empty source": (b"\tb", reader.EMPTY),
    "an empty target": ("a\t \u3000".encode(), reader.EMPTY),
    "Latin 1": (b"a\t\xe9t\xe9", reader.ENCODING),
    "half a character": (b"a\t\xe6\xb1", reader.ENCODING),
    "a NUL": (b"a\tb\0c", reader.CONTROL),
    "an escape": (b"a\t\x1b[31m", reader.CONTROL),
    "a return inside": (b"a\rb\tc", reader.CONTROL),
    "C1": ("a\tb\u0085".encode(), reader.CONTROL),
    "ten megabytes": (b"a\t" + b"b" * 10_000_000, reader.LONG_LINE),
}


@pytest.mark.parametrize("kind", BAD)
def test_read_pairs_drops_and_counts_faulty_rows(read, kind):
    line, expected = BAD[kind]
    good, _ = read(lines())
    found, report = read(lines({17: line, 40: line}))
    assert report.counts == {expected: 2} and report.lines == {expected: [17, 40]} and report.rows == 100
    assert found == [row for row in good if row.line not in (17, 40)]
    assert f"  {expected}: 2 (lines 17, 40)" in str(report)


def test_report_names_only_the_first_lines(read):
    _, report = read(lines(dict.fromkeys((3, 5, 7, 9), b"no")))
    assert f"  {reader.COLUMNS}: 4 (lines 3, 5, 7, ...)" in str(report)


def test_read_pairs_repairs_rows(read):
    good, _ = read(lines())
    found, report = read(b"\xef\xbb\xbf" + lines(end=b"\r\n"))
    assert found == good
    assert report.counts == {reader.BOM: 1, reader.CARRIAGE_RETURN: 100}
    found, report = read(lines({2: "\u202eI see 1\u2069 cats.\tJe vois 1 chats\u200f.".encode()}))
    assert found == good and report.lines == {reader.INVISIBLE: [2]}


def test_read_pairs_keeps_and_counts_cells_in_quotation_marks(read):
    quoted = '"He said ""yes"", twice."\tOui.\nNo.\t"Non, Tom."\n'
    others = '"A", "B"\ta\n"\tb\nc "d"\t""\n'
    found, report = read((quoted + others).encode())
    assert found[0].source == '"He said ""yes"", twice."' and len(found) == 5
    assert report.lines == {reader.QUOTED: [1, 2]}


def test_read_pairs_keeps_meaningful_joiners(read):
    (row,), report = read("می\u200cخواهم\tक\u094d\u200dष\n".encode())
    assert row.source == "می\u200cخواهم" and "\u200d" in row.target and report.counts == {}


def test_read_pairs_ignores_and_reports_a_third_column(read):
    found, report = read(b"a\tb\tCC-BY\nc\td\tCC-BY\n" * 10 + b"e\tf\n")
    assert [(row.source, row.target) for row in found] == [("a", "b"), ("c", "d")] * 10
    assert "21 rows of 3 columns, of which the first two are read" in str(report)
    assert report.lines == {reader.COLUMNS: [21]}


@pytest.mark.parametrize(
    "content", [b"", b"\xef\xbb\xbf", lines().replace(b"\t", b";"), lines().decode().encode("utf-16")]
)
def test_read_pairs_rejects_other_files(read, content):
    with pytest.raises(ValueError, match=r"^file"):
        read(content)


def test_read_pairs_accepts_one_faulty_row_in_ten(read):
    assert len(read(lines(dict.fromkeys(range(1, 11), b"no")))[0]) == 90
    with pytest.raises(ValueError, match=r"(?s)11 .*100.*lines 1, 2, 3, \.\.\."):
        read(lines(dict.fromkeys(range(1, 12), b"no")))


def test_read_pairs_reads_aligned_files(read):
    source, target = ("".join(line.split("\t")[i] + "\n" for line in GOOD).encode() for i in (0, 1))
    assert read(source, target)[0] == read(lines())[0]
    assert read(gzip.compress(source), target)[0] == read(lines())[0]
    for short, long, names in ((source[:-100], target, "file0.*file1"), (source, target[:-100], "file1.*file0")):
        with pytest.raises(ValueError, match=rf"{names}\.tsv"):
            read(short, long)
    (row,), _ = read(b"a\tb\n", b"c\n")
    assert (row.source, row.target) == ("a b", "c")


def test_read_pairs_drops_empty_lines_of_aligned_files(read):
    found, report = read(b"a\n\nx\n" + b"ok\n" * 27, b"c\nd\n\n" + b"ja\n" * 27)
    assert len(found) == 28 and report.lines == {reader.EMPTY: [2, 3]}


@pytest.mark.parametrize("kept", [30, -1])
def test_read_pairs_names_a_damaged_gzip_file(read, kept):
    with pytest.raises(ValueError, match=r"file0\.tsv"):
        read(gzip.compress(lines())[:kept])


def test_read_pairs_names_zip_and_missing_files(read, tmp_path):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("fra.txt", lines())
    with pytest.raises(ValueError, match=r"file0\.tsv"):
        read(buffer.getvalue())
    with pytest.raises(FileNotFoundError, match="nowhere"):
        list(read_pairs([tmp_path / "nowhere"], Report("x")))


def test_read_pairs_requires_one_or_two_files(read, tmp_path):
    for contents in ((), (b"a\n", b"b\n", b"c\n")):
        with pytest.raises(ValueError, match="paths"):
            read(*contents)
    with pytest.raises(FileNotFoundError, match=str(tmp_path)):
        list(read_pairs([tmp_path], Report("folder")))
    with pytest.raises(FileNotFoundError, match="/dev/null is a device or pipe, not a file"):
        list(read_pairs([Path("/dev/null")], Report("device")))


def test_read_pairs_reports_every_byte(tmp_path):
    content = lines() * 50
    (tmp_path / "f").write_bytes(content)
    reported: list[int] = []
    list(read_pairs([tmp_path / "f"], Report("f"), advance=reported.append))
    assert sum(reported) == len(content) and len(reported) > 3
