"""One step of Bahdanau's decoder: state, scores, weights, context, next state."""

from bookkit.drawing import Box, Drawing

SHARES = (0.05, 0.1, 0.6, 0.25)


def attended(d: Drawing, left: float, top: float, apart: float) -> tuple[list[Box], Box]:
    """Source states, scores and weights in columns, and the context under them; returns the scores and the context."""
    middle = left + 1.5 * apart + 29
    context = d.box(middle - 57, top + 168, 114, 32, "context *c*_t", role="value")
    scores = []
    for i, share in enumerate(SHARES):
        x = left + apart * i
        state = d.box(x, top, 58, 30, f"*h*_{i + 1}", role="key")
        score = d.box(x, top + 54, 58, 26, f"*a*_{i + 1}", size=13)
        weight = d.box(x, top + 112, 58, 26, f"{share:.2f}", role="weight", strength=share, size=13)
        d.arrow(state.bottom, score.top)
        d.arrow(score.bottom, weight.top)
        d.arrow(weight.bottom, (middle, top + 166), role="value", width=0.8 + 4 * share)
        scores.append(score)
    return scores, context


def draw(narrow: bool) -> Drawing:
    d = Drawing(322, 388) if narrow else Drawing(650, 232)
    left, top, apart = (36, 84, 74) if narrow else (190, 16, 76)
    scores, context = attended(d, left, top, apart)
    wire = top + 42  # the query runs along here, past every state
    if narrow:
        query = d.box(20, 10, 140, 34, "state *s*_{t-1}", role="query")
        d.line((26, 44), (26, wire), role="query")
        d.line((26, wire), (scores[-1].top[0] - 16, wire), role="query")
    else:
        query = d.box(10, wire - 17, 140, 34, "state *s*_{t-1}", role="query")
        d.line(query.right, (scores[-1].top[0] - 16, wire), role="query")
    for score in scores:
        d.arrow((score.top[0] - 16, wire), (score.top[0] - 16, score.top[1]), role="query")
    if narrow:
        after = d.box(context.x, top + 252, 114, 32, "state *s*_t", role="query")
        word = d.box(context.x + 126, top + 254, 76, 28, "word *y*_{t-1}", size=12)
        d.arrow(context.bottom, after.top, role="value")
        d.arrow(word.left, after.right)
        d.line((20, 27), (8, 27), role="query")
        d.line((8, 27), (8, after.left[1]), role="query")
        d.arrow((8, after.left[1]), after.left, role="query")
    else:
        d.text(left + 300, top + 67, "scores", anchor="start", role="muted", size=13)
        d.text(left + 300, top + 125, "softmax", anchor="start", role="muted", size=13)
        after = d.box(10, 184, 140, 32, "state *s*_t", role="query")
        word = d.box(54, 112, 94, 28, "word *y*_{t-1}", size=13)
        d.arrow(context.left, after.right, role="value")
        d.arrow(word.bottom, (word.bottom[0], 184))
        d.arrow((26, wire + 17), (26, 184), role="query")
    return d
