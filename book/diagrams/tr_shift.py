"""The shifted target: what the decoder reads, and what it must say at the same place."""

from bookkit.drawing import Drawing


def draw(narrow: bool) -> Drawing:
    reads = ["<bos>", "elle", "dort", "."]
    says = ["elle", "dort", ".", "<eos>"]
    wide, gap, left = (64, 10, 12) if narrow else (80, 24, 130)
    d = Drawing(320 if narrow else 560, 176)
    if not narrow:
        d.text(8, 142, "it reads", anchor="start", role="muted")
        d.text(8, 31, "it must say", anchor="start", role="muted")
    lower = d.tokens(left, 127, reads, role="query", gap=gap, width=wide)
    upper = d.tokens(left, 16, says, role="value", gap=gap, width=wide)
    d.box(left, 72, 4 * wide + 3 * gap, 30, "decoder, causal mask", role="weight")
    for below, above in zip(lower, upper, strict=True):
        d.arrow(below.top, (below.center[0], 103))
        d.arrow((above.center[0], 72), above.bottom)
    return d
