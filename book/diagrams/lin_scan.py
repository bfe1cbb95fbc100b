"""A parallel scan: in every round, each stretch of steps is joined with the stretch that ends just before it."""

from bookkit.drawing import Drawing


def draw(narrow: bool) -> Drawing:
    count, rounds = (4, 2) if narrow else (8, 3)
    step, width, row = 78, 56, 62
    d = Drawing(320 if narrow else 640, rounds * row + 40)
    first = list(range(count))  # where the stretch that ends at each step begins
    boxes = []
    for done in range(rounds + 1):
        below = boxes
        boxes = []
        for end in range(count):
            name = f"{first[end] + 1}" if first[end] == end else f"{first[end] + 1} to {end + 1}"
            role = "line" if first[end] else "value"
            boxes.append(d.box(8 + end * step, 6 + done * row, width, 28, name, role=role, size=13))
            if done:
                d.arrow(below[end].bottom, boxes[end].top)
                if end - 2 ** (done - 1) >= 0:
                    d.arrow(below[end - 2 ** (done - 1)].bottom, boxes[end].top, role="weight")
        first = [first[first[end] - 1] if first[end] else 0 for end in range(count)]
    return d
