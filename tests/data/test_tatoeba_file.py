"""Damaged, missing and hostile corpus files raise clear errors, and nothing is written."""

import itertools
import zipfile

import pytest

from attnbook.data import tatoeba, tatoeba_file
from tests.data.sample_files import GOOD, TEXT, digest, replace_line, zipped

pytestmark = pytest.mark.usefixtures("no_data_folder")


@pytest.fixture
def read(tmp_path):
    """Write a file, and read it as a French corpus with the given hash."""

    def write_and_read(data: bytes, name: str = "fra-eng.zip", sha256: str = digest(TEXT)):
        (tmp_path / name).write_bytes(data)
        before = sorted(tmp_path.rglob("*"))
        try:
            return tatoeba.read("french", path=tmp_path / name, sha256=sha256)
        finally:
            assert sorted(tmp_path.rglob("*")) == before, "reading a file must not write one"

    return write_and_read


def test_read_accepts_zip_and_text(read):
    pairs = read(GOOD)
    assert len(pairs) == 50
    assert pairs[7].source == ("i", "see", "7", "cats", ".")
    assert pairs[7].target == ("je", "vois", "7", "chats", ".")
    assert read(TEXT, "fra.txt") == pairs
    assert read(GOOD, "OTHER.ZIP") == pairs


@pytest.mark.parametrize("kept", [1, 30, 200, len(GOOD) - 30, len(GOOD) - 1])
def test_read_refuses_a_truncated_zip(read, kept):
    with pytest.raises(ValueError, match=rf"fra-eng\.zip .*{kept} bytes"):
        read(GOOD[:kept])


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED])
def test_read_refuses_a_corrupt_zip(read, method):
    data = bytearray(zipped({"fra-eng/fra.txt": TEXT}, method))
    data[80] ^= 0xFF  # inside the member
    with pytest.raises(ValueError, match=r"fra-eng\.zip .*corrupt"):
        read(bytes(data))


@pytest.mark.parametrize("data", [b"not a zip", b"\0" * 1000, b"<html>404</html>"])
def test_read_refuses_a_file_that_is_not_a_zip(read, data):
    with pytest.raises(ValueError, match=r"fra-eng\.zip .*corrupt"):
        read(data)


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED])
def test_read_notices_any_flipped_byte(method):
    good = zipped({"_about.txt": b"terms", "fra-eng/fra.txt": TEXT}, method)
    for position, mask in itertools.product(range(len(good)), (0x01, 0x80, 0xFF)):
        data = bytearray(good)
        data[position] ^= mask
        try:
            text = tatoeba_file.extract(bytes(data), "fra-eng.zip", "fra.txt")
        except ValueError as error:
            assert "fra-eng.zip" in str(error), position
        else:  # a byte outside the text, such as a date
            assert text == TEXT or len(text) == 0, position


def test_read_refuses_an_encrypted_zip(read):
    data = bytearray(zipped({"fra.txt": TEXT}))
    data[6] |= 1  # the flag in the member's own header
    data[data.index(b"PK\x01\x02") + 8] |= 1  # and in the central directory
    with pytest.raises(ValueError, match=r"fra-eng\.zip .*corrupt.*encrypted"):
        read(bytes(data))


def test_read_refuses_a_zip_with_too_large_a_text(read, monkeypatch):
    monkeypatch.setattr(tatoeba_file, "LARGEST_TEXT", len(TEXT) - 1)
    with pytest.raises(ValueError, match=rf"fra-eng/fra\.txt .*{len(TEXT)}"):
        read(GOOD)


@pytest.mark.parametrize(
    ("members", "count"), [({"deu.txt": TEXT}, 0), ({"a/fra.txt": TEXT, "b/fra.txt": TEXT}, 2), ({}, 0)]
)
def test_read_refuses_a_zip_without_the_text(read, members, count):
    with pytest.raises(ValueError, match=rf"fra-eng\.zip .*fra\.txt, got {count}"):
        read(zipped(members))


def test_read_refuses_another_sha256(read):
    wrong = digest(b"other")
    for data, name in ((GOOD, "fra-eng.zip"), (TEXT, "fra.txt")):
        with pytest.raises(ValueError, match=f"{name}.* sha256 {wrong}, got {digest(TEXT)}.*sha256=.*--corpus FILE"):
            read(data, name, wrong)
    assert len(read(GOOD, sha256=digest(TEXT).upper())) == 50


def test_read_checks_the_known_sha256_by_default(tmp_path):
    (tmp_path / "fra.txt").write_bytes(TEXT)
    with pytest.raises(ValueError, match=tatoeba_file.EDITIONS["french"].sha256):
        tatoeba.load("french", path=tmp_path / "fra.txt")


@pytest.mark.parametrize("data", [b"", zipped({"fra.txt": b""})])
def test_read_refuses_an_empty_file(read, data):
    with pytest.raises(ValueError, match=r"fra-eng\.zip.* is empty"):
        read(data)
    with pytest.raises(ValueError, match=r"fra\.txt is empty"):
        read(b"", "fra.txt")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"I see no cat.", "line 17 .*no tab"),
        (b"", "line 17 .*no tab"),
        (b"a\tb\tc\td", "line 17 .*4 columns"),
        (b"\tJe vois.", "line 17: source"),
        (b"I see.\t \xc2\xa0", "line 17: target"),
    ],
)
def test_read_names_a_malformed_line(read, line, message):
    text = replace_line(17, line)
    with pytest.raises(ValueError, match=rf"fra\.txt, {message}"):
        read(text, "fra.txt", digest(text))
    with pytest.raises(ValueError, match=rf"fra-eng\.zip, fra\.txt, {message}"):
        read(zipped({"fra-eng/fra.txt": text}), sha256=digest(text))


def test_read_names_the_place_of_invalid_utf8(read):
    text = replace_line(17, "I see.\tJe préfère.".encode("latin-1"))
    place = text.index(b"\xe9")
    with pytest.raises(ValueError, match=rf"fra\.txt, line 17: byte {place} is 0xe9, not UTF-8"):
        read(text, "fra.txt", digest(text))
    text = TEXT.decode().encode("utf-16")
    with pytest.raises(ValueError, match=r"line 1: byte 0 is 0xff, not UTF-8"):
        read(text, "fra.txt", digest(text))


def test_read_accepts_harmless_variants(read):
    plain = read(TEXT, "fra.txt")
    for text in (b"\xef\xbb\xbf" + TEXT, TEXT.replace(b"\n", b"\r\n"), TEXT.rstrip(b"\n")):
        assert read(text, "fra.txt", digest(text)) == plain


def test_read_names_a_missing_file(tmp_path, monkeypatch):
    with pytest.raises(FileNotFoundError, match=r"nowhere\.zip"):
        tatoeba.load("french", path=tmp_path / "nowhere.zip")
    with pytest.raises(FileNotFoundError, match=r"cmn-eng\.txt.*ATTNBOOK_DATA"):
        tatoeba.load("chinese", path=tmp_path)
    monkeypatch.setenv("ATTNBOOK_DATA", str(tmp_path))
    with pytest.raises(FileNotFoundError, match=r"fra-eng\.zip"):
        tatoeba.load("french")


def test_read_prefers_path_to_the_data_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("ATTNBOOK_DATA", str(tmp_path))
    (tmp_path / "fra-eng.zip").write_bytes(GOOD)
    assert len(tatoeba.read("french", sha256=digest(TEXT))) == 50
    other = b"Hi.\tSalut.\n"
    (tmp_path / "other.txt").write_bytes(other)
    assert len(tatoeba.read("french", path=tmp_path / "other.txt", sha256=digest(other))) == 1
