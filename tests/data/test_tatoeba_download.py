"""Downloads use the first mirror with an intact file; failed mirrors are reported and leave no file."""

import dataclasses
import functools
import http.server
import threading
import warnings

import pytest

from attnbook.data import tatoeba, tatoeba_file
from tests.data.sample_files import GOOD, TEXT, digest, replace_line, zipped

pytestmark = pytest.mark.usefixtures("no_data_folder")


@pytest.fixture
def serve(monkeypatch):
    """Serve files from this machine as mirrors of the French corpus."""
    files: dict[str, bytes] = {}
    asked: list[str] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            data = files.get(self.path)
            self.send_response(200 if data is not None else 404)
            # A server that sends less than it announced, as when the connection breaks.
            self.send_header("Content-Length", str(len(data or b"") + (1000 if "broken" in self.path else 0)))
            self.end_headers()
            self.wfile.write(data or b"")

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=functools.partial(server.serve_forever, 0.01), daemon=True).start()
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")

    def mirrors(*served: tuple[str, bytes | None], fixed: bool = True, sha256: str = digest(TEXT)) -> list[str]:
        files.update({path: data for path, data in served if data is not None})
        edition = dataclasses.replace(
            tatoeba_file.EDITIONS["french"],
            mirrors=tuple(f"http://127.0.0.1:{server.server_port}{path}" for path, _ in served),
            fixed=fixed,
            sha256=sha256,
        )
        monkeypatch.setitem(tatoeba_file.EDITIONS, "french", edition)
        return asked

    yield mirrors
    server.shutdown()
    server.server_close()


def test_download_is_cached(serve, tmp_path):
    asked = serve(("/fra-eng.zip", GOOD))
    pairs = tatoeba.read("french", cache=tmp_path / "cache")
    assert len(pairs) == 50
    assert tatoeba.read("french", cache=tmp_path / "cache") == pairs
    assert asked == ["/fra-eng.zip"]
    assert [file.name for file in (tmp_path / "cache").iterdir()] == ["fra.txt"]
    assert (tmp_path / "cache" / "fra.txt").read_bytes() == TEXT


def test_download_rejects_sha256_of_another_type(serve, tmp_path):
    asked = serve(("/fra-eng.zip", GOOD))
    with pytest.raises(TypeError, match="sha256"):
        tatoeba.read("french", cache=tmp_path, sha256=5)
    assert not asked


DAMAGED = {
    "/absent.zip": (None, "404"),
    "/broken.zip": (GOOD[:300], "IncompleteRead"),
    "/truncated.zip": (GOOD[:300], "truncated or corrupt"),
    "/empty.zip": (b"", "is empty"),
    "/page.zip": (b"<html>sorry</html>", "truncated or corrupt"),
    "/notab.zip": (zipped({"fra.txt": replace_line(9, b"no")}), "line 9"),
    "/latin.zip": (zipped({"fra.txt": replace_line(9, b"a\t\xe9")}), "line 9: byte"),
    "/hash.zip": (zipped({"fra.txt": replace_line(9, b"a\tb")}), "does not match"),
}


@pytest.mark.parametrize("path", DAMAGED)
def test_download_skips_a_bad_mirror(serve, tmp_path, path):
    asked = serve((path, DAMAGED[path][0]), ("/good.zip", GOOD))
    assert len(tatoeba.read("french", cache=tmp_path)) == 50
    assert asked == [path, "/good.zip"]


@pytest.mark.parametrize("path", DAMAGED)
def test_download_names_bad_mirrors_and_leaves_no_file(serve, tmp_path, path):
    data, reason = DAMAGED[path]
    serve((path, data), ("/gone.zip", None))
    with pytest.raises(OSError, match="could not be downloaded") as caught:
        tatoeba.load("french", cache=tmp_path)
    message = str(caught.value)
    assert "path=" in message and "--data" in message and "ATTNBOOK_DATA" in message and "fra-eng.zip" in message
    assert path in message and reason in message and "/gone.zip" in message
    assert list(tmp_path.iterdir()) == []


def test_download_without_network_says_what_to_do(monkeypatch, tmp_path):
    edition = dataclasses.replace(tatoeba_file.EDITIONS["chinese"], mirrors=("http://127.0.0.1:9/cmn-eng.zip",))
    monkeypatch.setitem(tatoeba_file.EDITIONS, "chinese", edition)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with pytest.raises(OSError, match=r"(?s)holds cmn-eng\.txt\. Tried:.*127\.0\.0\.1:9/cmn-eng\.zip"):
        tatoeba.load("chinese", cache=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_download_replaces_a_damaged_cache(serve, tmp_path):
    serve(("/fra-eng.zip", GOOD))
    (tmp_path / "fra.txt").write_bytes(TEXT[:100])
    assert len(tatoeba.read("french", cache=tmp_path)) == 50
    assert (tmp_path / "fra.txt").read_bytes() == TEXT


def test_download_warns_of_a_new_edition(serve, tmp_path):
    newer = TEXT + b"New.\tNouveau.\n"
    asked = serve(("/fra-eng.zip", zipped({"fra.txt": newer})), fixed=False)
    for _ in range(2):
        with pytest.warns(UserWarning, match=digest(newer)) as caught:
            assert len(tatoeba.read("french", cache=tmp_path)) == 51
        assert caught[0].filename == __file__
    assert asked == ["/fra-eng.zip"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(tatoeba.read("french", cache=tmp_path, sha256=digest(newer))) == 51
    with pytest.raises(OSError, match="does not match"):
        tatoeba.read("french", cache=tmp_path, sha256=digest(TEXT))
    assert (tmp_path / "fra.txt").read_bytes() == newer


def test_download_checks_the_format_of_a_new_edition(serve, tmp_path):
    serve(("/fra-eng.zip", zipped({"fra.txt": replace_line(9, b"no")})), fixed=False)
    with pytest.raises(OSError, match=r"line 9 .*no tab"):
        tatoeba.read("french", cache=tmp_path)
    assert list(tmp_path.iterdir()) == []
