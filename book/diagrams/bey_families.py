"""Three masks: who may look at whom in an encoder, in an encoder-decoder and in a decoder."""

from bookkit.drawing import Drawing

SIZE = 5


def mask(kind: str) -> list[list[float]]:
    full = [[0.55] * SIZE for _ in range(SIZE)]
    causal = [[0.55 * (j <= i) for j in range(SIZE)] for i in range(SIZE)]
    return causal if kind == "causal" else full


def draw(narrow: bool) -> Drawing:
    d = Drawing(320, 574) if narrow else Drawing(690, 206)
    cell = 20

    def one(x: float, y: float, title: str, below: str, kinds: list[tuple[str, str]]) -> None:
        d.text(x, y + 8, title, anchor="start", bold=True, size=13)
        for i, (kind, name) in enumerate(kinds):
            left = x + i * 118
            d.matrix(left, y + 28, mask(kind), role="weight", cell=cell)
            d.text(left + 50, y + 142, name, role="muted", size=12)
        d.text(x, y + 166, below, anchor="start", size=12)

    places = [(10, 4), (10, 190), (10, 394)] if narrow else [(10, 4), (190, 4), (570, 4)]
    one(*places[0], "encoder-only", "predicts hidden words", [("full", "itself")])
    kinds = [("full", "source"), ("causal", "target"), ("full", "target → source")]
    one(*places[1], "encoder-decoder", "predicts the next word of the target", kinds if not narrow else kinds[:2])
    one(*places[2], "decoder-only", "predicts the next word", [("causal", "itself")])
    if narrow:
        d.text(places[1][0], 374, "and the target sees the source", anchor="start", role="muted", size=12)
    return d
