"""Small corpora as files: their lines, zip archives, and digests."""

import hashlib
import io
import zipfile

LINES = [f"I see {n} cats .\tIch sehe {n} Katzen ." for n in range(800)]
TEXT = "".join(f"I see {n} cats.\tJe vois {n} chats.\n" for n in range(50)).encode()


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def zipped(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return buffer.getvalue()


GOOD = zipped({"_about.txt": b"terms", "__MACOSX/fra-eng/._fra.txt": b"\0", "fra-eng/fra.txt": TEXT})


def replace_line(number: int, line: bytes) -> bytes:
    lines = TEXT.split(b"\n")
    lines[number - 1] = line
    return b"\n".join(lines)
