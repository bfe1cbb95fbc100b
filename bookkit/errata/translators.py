"""Kernel regression, Bahdanau, Luong, decoding and scores of translations."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from attnbook.attention.pooling import NadarayaWatson, leave_one_out_mask, nadaraya_watson
from attnbook.attention.scoring import AdditiveAttention
from attnbook.data.tatoeba import read
from attnbook.models.bahdanau import Bahdanau
from attnbook.models.base import EncoderDecoder
from attnbook.models.luong import PredictedCenter
from attnbook.models.transformer import Transformer
from attnbook.observe.recorder import record_attention
from attnbook.translation.metrics import bleu_d2l, corpus_bleu
from bookkit.errata.core import Outcome, check
from bookkit.errata.corpus import corpus


def _curve(x: Tensor) -> Tensor:
    return 2 * torch.sin(x) + x**0.8


def _measure(count: int) -> tuple[Tensor, Tensor]:
    x, _ = torch.sort(torch.rand(count) * 5)
    return x, _curve(x) + 0.5 * torch.randn(count)


@check
def a_fixed_width_does_not_converge() -> Outcome:
    """Width 1 and a width that shrinks, on 100 and on 10,000 measurements."""
    inner = torch.linspace(0.5, 4.5, 50)
    errors: dict[str, list[float]] = {"fixed": [], "shrinking": []}
    for n in (100, 10_000):
        x, y = _measure(n)
        for name, width in (("fixed", 1.0), ("shrinking", 0.7 * n**-0.2)):
            errors[name].append(float(((nadaraya_watson(inner, x, y, width=width) - _curve(inner)) ** 2).mean()))
    text = "; ".join(f"{name} width {a:.3f}, then {b:.3f}" for name, (a, b) in errors.items())
    shows = errors["fixed"][1] > 0.5 * errors["fixed"][0] and errors["fixed"][1] > 10 * errors["shrinking"][1]
    return Outcome(shows, f"Error for 100 and for 10,000 measurements: {text}.")


@check
def the_sum_of_errors_overshoots() -> Outcome:
    """The note's five steps from 20 starts on 20 data sets, compared with the best w."""
    candidates, worse, first = torch.linspace(0.1, 15, 150), 0, []
    for seed in range(20):
        torch.manual_seed(seed)
        (x, y), mask = _measure(50), leave_one_out_mask(50)

        def loss(model: NadarayaWatson, x: Tensor = x, y: Tensor = y, mask: Tensor = mask) -> Tensor:
            squared: Tensor = (model(x, x, y, mask) - y) ** 2
            return squared

        model = NadarayaWatson(float(torch.rand(1)))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
        for step in range(5):
            optimizer.zero_grad()
            loss(model).sum().backward()
            optimizer.step()
            if step == 0:
                first.append(float(model.w.detach()))
        with torch.no_grad():
            best = candidates[int(torch.stack([loss(NadarayaWatson(float(w))).mean() for w in candidates]).argmin())]
        worse += float(model.w.detach().abs()) > 1.5 * float(best)
    text = f"In {worse} of 20 runs |w| ends above 1.5 times its best value"
    reached = f"after the first step w is between {min(first):.2f} and {max(first):.1f}"
    return Outcome(worse >= 10, f"{text}; {reached}.")


# Bahdanau and Luong


@check
def a_recurrent_network_keeps_a_state_for_every_token() -> Outcome:
    """Shapes that a GRU returns for seven tokens."""
    outputs, last = nn.GRU(4, 6, batch_first=True)(torch.randn(1, 7, 4))
    text = f"Seven tokens give states of shape {tuple(outputs.shape)}; the last state has shape {tuple(last.shape)}."
    return Outcome(outputs.shape[1] == 7, text)


@check
def an_alignment_has_one_direction() -> Outcome:
    """Rows of weights, one for each target token, sum to one; columns do not."""
    weights = _bahdanau_weights()
    rows, columns = weights.sum(-1), weights.sum(-2)
    text = (
        f"Rows (target tokens) sum to 1, columns (source tokens) to {', '.join(f'{c:.2f}' for c in columns.tolist())}."
    )
    return Outcome(
        torch.allclose(rows, torch.ones_like(rows)) and not torch.allclose(columns, rows[: len(columns)]), text
    )


def _bahdanau_weights() -> Tensor:
    model = Bahdanau(20, 20, embed_size=6, num_hiddens=8).eval()
    for parameter in model.parameters():
        nn.init.normal_(parameter)
    source, target = torch.randint(4, 20, (1, 4)), torch.randint(4, 20, (1, 6))
    with torch.no_grad(), record_attention(model) as record:
        model.decode(target, model.encode(source, torch.ones(1, 4, dtype=torch.bool)))
    return record["decoder.cross_attention"][0, 0]


@check
def the_context_is_no_parameter() -> Outcome:
    """Parameters of the layer, and its result for two queries."""
    layer, key = AdditiveAttention(3, 4, 5), torch.randn(1, 6, 4)
    names = [name.removesuffix(".weight") for name, _ in layer.named_parameters()]
    first, second = (layer(torch.randn(1, 1, 3), key, key) for _ in range(2))
    difference = float((first - second).detach().abs().max())
    text = f"The parameters are {', '.join(names)}; two queries get contexts that differ by {difference:.2f}."
    return Outcome(sorted(names) == ["W_k", "W_q", "w_v"] and difference > 0, text)


@check
def a_decoder_starts_from_the_last_state() -> Outcome:
    """The state of the last layer after the source is its output at the last token."""
    outputs, state = nn.GRU(4, 6, num_layers=2)(torch.randn(7, 1, 4))
    last, before = (float((state[-1] - outputs[i]).detach().abs().max()) for i in (-1, -2))
    text = f"The state differs by {last:.0f} from the output at the last token, by {before:.2f} from the previous one."
    return Outcome(last == 0 and before > 0, text)


@check
def a_predicted_window_is_not_at_the_current_step() -> Outcome:
    """Centers for three states at the same step, in a source of 20 tokens."""
    center = PredictedCenter(8)
    nn.init.normal_(center.v_p.weight)
    found = center(torch.randn(1, 3, 8), torch.tensor([20])).detach().squeeze(0)
    places = ", ".join(f"{p:.1f}" for p in found.tolist())
    text = f"Three states predict the positions {places}; the formula does not use the step."
    return Outcome(float(found.max() - found.min()) > 1, text)


# Decoding and scores


@check
def writing_is_sequential() -> Outcome:
    """Calls of the Transformer's decoder for a translation of ten tokens, and for training on it."""
    model: EncoderDecoder = Transformer(12, 12, d_model=8, num_heads=2, d_ff=12, num_layers=1).eval()
    source, target = torch.randint(4, 12, (1, 5)), torch.randint(4, 12, (1, 10))
    with torch.no_grad():
        start = model.encode(source, torch.ones_like(source, dtype=torch.bool))
        together, _ = model.decode(target, start)
        state, logits, calls = start, [], 0
        for token in target.split(1, 1):
            step, state = model.decode(token, state)
            logits.append(step)
            calls += 1
    same = torch.allclose(torch.cat(logits, 1), together, atol=1e-5)
    text = f"Known tokens take 1 call. Generating them takes {calls}: each needs the previous one. The logits agree."
    return Outcome(same and calls == 10, text)


@check
def bleu_of_d2l_is_another_measure() -> Outcome:
    """Score one sentence by both, with two wrong words."""
    hypothesis, reference = "il a vu une chat noir ici hier .", "il a vu le chat noir là hier ."
    theirs, standard = 100 * bleu_d2l(hypothesis, reference, 2), corpus_bleu([hypothesis], [[reference]])
    text = f"For one sentence with two wrong words, D2L's function gives {theirs:.0f} and BLEU {standard:.0f}."
    return Outcome(abs(theirs - standard) > 10, text)


@check
def three_of_four_test_sentences_were_trained_on() -> Outcome:
    """Look the four up in the first 600 rows of the corpus, which the note's code trains on."""
    folder = corpus()
    if folder is None:
        return Outcome(None, "The corpus (fra-eng.zip) is not on this machine; set ATTNBOOK_DATA to its folder.")
    rows = [" ".join(pair.source) for pair in read("french", path=folder, count=600)]
    asked = ["go .", "i lost .", "he's calm .", "i'm home ."]
    there = {text: rows.index(text) for text in asked if text in rows}
    listed = ", ".join(f"“{text}” is row {row}" for text, row in there.items())
    return Outcome(len(there) >= 3, f"{listed}; {len(asked) - len(there)} of {len(asked)} is not there.")
