"""One step of Bahdanau's decoder: state, scores, weights, context, next state."""

from bookkit.drawing import Drawing

SHARES = (0.05, 0.1, 0.6, 0.25)


def draw(narrow: bool) -> Drawing:
    d = Drawing(322, 364) if narrow else Drawing(650, 232)
    left = 10 if narrow else 186
    top = 84 if narrow else 16
    query = d.box(10, 10, 140, 34, "state *s*_{t-1} asks", role="query")
    for i, share in enumerate(SHARES):
        x = left + 76 * i
        state = d.box(x, top, 58, 30, f"*h*_{i + 1}", role="key")
        score = d.box(x, top + 54, 58, 26, f"*a*_{i + 1}", size=13)
        weight = d.box(x, top + 112, 58, 26, f"{share:.2f}", role="weight", strength=share, size=13)
        d.arrow(state.bottom, score.top)
        d.arrow(score.bottom, weight.top)
        d.arrow(weight.bottom, (left + 133, top + 166), role="value", width=0.8 + 4 * share)
    if not narrow:
        d.text(left + 300, top + 67, "scores", anchor="start", role="muted", size=13)
        d.text(left + 300, top + 125, "softmax", anchor="start", role="muted", size=13)
    if narrow:
        d.arrow((80, 44), (left + 133, top - 2), role="query")
    else:
        d.arrow(query.right, (left, top + 12), role="query")
    context = d.box(left + 76, top + 168, 114, 32, "context *c*_t", role="value")
    if narrow:
        after = d.box(left + 76, top + 240, 114, 32, "state *s*_t", role="query")
        word = d.box(left + 216, top + 242, 92, 28, "word *y*_{t-1}", size=13)
        d.arrow(context.bottom, after.top, role="value")
        d.arrow(word.left, after.right)
    else:
        after = d.box(20, 184, 114, 32, "state *s*_t", role="query")
        word = d.box(30, 110, 94, 28, "word *y*_{t-1}", size=13)
        d.arrow(context.left, after.right, role="value")
        d.arrow(word.bottom, after.top)
    return d
