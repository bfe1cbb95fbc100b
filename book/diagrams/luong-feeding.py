"""Two steps of Luong's decoder, with the way that input feeding adds."""

from bookkit.drawing import Drawing


def draw(narrow: bool) -> Drawing:
    wide = 132 if narrow else 250
    d = Drawing(2 * wide + (50 if narrow else 90), 236)
    states, joined = [], []
    for i, name in enumerate(("t", "t+1")):
        x = 8 + i * (wide + (34 if narrow else 60))
        word = d.box(x, 190, 84, 32, f"word *y*_{{{('t-1', 't')[i]}}}")
        state = d.box(x, 120, 84, 32, f"*s*_{{{name}}}", role="query")
        context = d.box(x + (52 if narrow else 130), 62, 70, 30, f"*c*_{{{name}}}", role="value")
        vector = d.box(x, 12, 84, 32, f"*s̃*_{{{name}}}", role="weight")
        d.arrow(word.top, state.bottom)
        d.arrow((state.x + 60, state.y), (context.x + 20, context.y + 30), role="query")
        d.arrow((context.x + 20, context.y), (vector.x + 70, vector.y + 32), role="value")
        d.arrow((state.x + 20, state.y), (vector.x + 20, vector.y + 32))
        states.append(state)
        joined.append(vector)
    d.arrow(states[0].right, states[1].left)
    d.arrow(joined[0].right, (states[1].x, states[1].y + 8), role="weight", width=2.5, bend=24)
    if not narrow:
        d.text(joined[1].x - 20, 24, "input feeding", anchor="end", role="muted", size=13)
    return d
