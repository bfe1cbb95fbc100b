"""Serve the built book on localhost; called by ``make serve``."""

from __future__ import annotations

import argparse
import gzip
import sys
from contextlib import suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

COMPRESSIBLE = {".html", ".css", ".js", ".svg", ".json", ".ipynb", ".xml", ".txt"}


class Handler(SimpleHTTPRequestHandler):
    """Serve files with the headers of the file ``_headers``, and uncached, so that a reload shows a rebuilt page."""

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-cache")
        for name, value in configured_headers(Path(self.directory)):
            self.send_header(name, value)
        super().end_headers()

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Send the book's own 404 page."""
        error_page = Path(self.directory) / "404.html"
        if code != 404 or not error_page.is_file():
            return super().send_error(code, message, explain)
        body = error_page.read_bytes()
        self.send_response(404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def do_GET(self) -> None:
        """Compress text files, as web hosts do."""
        path = Path(self.translate_path(self.path))
        if path.is_file() and path.suffix in COMPRESSIBLE and "gzip" in self.headers.get("Accept-Encoding", ""):
            self.send_compressed(path)
        else:
            super().do_GET()

    def send_compressed(self, path: Path) -> None:
        body = gzip.compress(path.read_bytes(), 6)
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(path))
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Do not log requests."""


def configured_headers(folder: Path) -> list[tuple[str, str]]:
    """The headers in the file ``_headers`` of a built book; an empty list if there is no such file."""
    with suppress(OSError):
        lines = (folder / "_headers").read_text(encoding="utf-8").splitlines()
        return [(name.strip(), value.strip()) for name, _, value in (line.partition(":") for line in lines[1:])]
    return []


class Server(ThreadingHTTPServer):
    """A threaded server that fails if another server listens on its port."""

    allow_reuse_address = sys.platform != "win32"
    daemon_threads = True


def open_server(folder: Path, port: int) -> Server:
    """Create a server for a folder, on localhost only; port 0 picks a free port.

    Raises:
        FileNotFoundError: the folder has no built book.
        OSError: the port cannot be used.
    """
    if not (folder / "index.html").is_file():
        raise FileNotFoundError(f"{folder} has no built book; run `make book` first")
    return Server(("127.0.0.1", port), partial(Handler, directory=str(folder)))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--folder", type=Path, default=Path("_build/html"))
    options = parser.parse_args()
    try:
        server = open_server(options.folder, options.port)
    except FileNotFoundError as error:
        print(error, file=sys.stderr)
        return 1
    except (OSError, OverflowError) as error:
        print(f"Port {options.port} cannot be used ({error}); try `make serve PORT=8001`", file=sys.stderr)
        return 1
    with server:
        print(f"The book: http://127.0.0.1:{server.server_port}/ (Ctrl-C stops the server)", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
