"""A cache in pages: the block tables of two texts point to blocks anywhere in the memory."""

from bookkit.drawing import Drawing

SLOTS = 4
TEXTS = (("text A, 10 tokens", 10, (3, 0, 5), "key"), ("text B, 6 tokens", 6, (2, 4), "query"))
BLOCKS = 7


def draw(narrow: bool) -> Drawing:
    d = Drawing(322, 240) if narrow else Drawing(560, 240)
    block_x, slot = (178, 28) if narrow else (330, 40)
    d.text(10, 12, "block tables", anchor="start", bold=True, size=13)
    d.text(block_x, 12, "memory", anchor="start", bold=True, size=13)
    used = {}
    row = 0
    for title, tokens, table, role in TEXTS:
        top = 32 + row * 26
        d.text(10, top + 10, title, anchor="start", size=12)
        for number, block in enumerate(table):
            entry = d.box(40, top + 24 + number * 28, 50, 22, f"{block}", role=role, size=13)
            used[block] = (min(SLOTS, tokens - number * SLOTS), role)
            d.arrow(entry.right, (block_x - 22, 40 + block * 28), role=role)
        row += len(table) + 1.6
    for block in range(BLOCKS):
        y = 28 + block * 28
        filled, role = used.get(block, (0, "line"))
        d.text(block_x - 12, y + 12, f"{block}", role="muted", size=12)
        for place in range(SLOTS):
            is_filled = place < filled
            left = block_x + place * slot
            d.box(left, y, slot - 4, 22, role=role if is_filled else "line", strength=0.45 if is_filled else 0.0)
    return d
