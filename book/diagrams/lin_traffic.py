"""What travels between slow and fast memory: the matrix four times, or keys and values only."""

from bookkit.drawing import Drawing


def one(d: Drawing, x: float, y: float, title: str, steps: list[tuple[str, str]]) -> None:
    d.text(x, y + 10, title, anchor="start", bold=True, size=13)
    slow = d.box(x, y + 28, 96, 158, "slow\nmemory", strength=0.1, size=13)
    fast = d.box(x + 236, y + 28, 66, 158, "fast\nmemory", role="value", strength=0.2, size=13)
    for i, (way, what) in enumerate(steps):
        top = y + 52 + i * (130 / len(steps)) + 6
        role = "query" if "n × n" in what else "muted"
        start, end = (slow.x + 96, top), (fast.x, top)
        d.arrow(*((start, end) if way == "read" else (end, start)), role=role, width=3 if role == "query" else 1.5)
        d.text(x + 166, top - 9, what, role="ink", size=12)


def draw(narrow: bool) -> Drawing:
    d = Drawing(318, 400) if narrow else Drawing(660, 200)
    explicit = [("read", "Q, K"), ("write", "scores, n × n"), ("read", "scores, n × n"), ("write", "weights, n × n")]
    explicit += [("read", "weights, n × n; V"), ("write", "output")]
    one(d, 8, 4, "explicit", explicit)
    flash = [("read", "a tile of Q"), ("read", "tiles of K and V"), ("write", "output")]
    one(d, *((8, 204) if narrow else (344, 4)), "flash", flash)
    return d
