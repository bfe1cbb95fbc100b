"""Serve the built book on localhost; called by ``make serve``."""

from __future__ import annotations

import argparse
import sys
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


class Handler(SimpleHTTPRequestHandler):
    """Files as they are now: a rebuilt page shows at the next reload."""

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing of each request."""


class Server(ThreadingHTTPServer):
    """Refuses a port that another server listens on."""

    allow_reuse_address = sys.platform != "win32"
    daemon_threads = True


def open_server(folder: Path, port: int) -> Server:
    """A server of a folder, on this machine only; port 0 takes a free one.

    Raises:
        FileNotFoundError: the folder holds no built book.
        OSError: the port cannot be used.
    """
    if not (folder / "index.html").is_file():
        raise FileNotFoundError(f"{folder} holds no book: run `make book` first")
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
        print(f"Port {options.port} cannot be used ({error}): try make serve PORT=8001", file=sys.stderr)
        return 1
    with server:
        print(f"The book: http://127.0.0.1:{server.server_port}/ (Ctrl-C ends it)", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
