"""Faults in code that the course took from D2L, checked with d2l 1.0.3 and the decoders of the D2L book."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from attnbook.pages.d2l_compat import import_d2l
from bookkit.d2l_models import TransformerDecoder
from bookkit.errata.core import Outcome, check, error_of

d2l: Any = import_d2l()

WIDTH, HEADS, LAYERS, WORDS = 8, 2, 2, 20


class _Translator:
    """The course's decoder, a source, and a target of six words."""

    def __init__(self) -> None:
        self.decoder: Any = TransformerDecoder(WORDS, WIDTH, 16, HEADS, LAYERS, 0.0)
        self.memory, self.lengths = torch.randn(1, 4, WIDTH), torch.tensor([4])
        self.target = torch.randint(4, WORDS, (1, 6))
        self.logits(self.target)  # lazy layers learn their sizes
        with torch.no_grad():
            for parameter in self.decoder.parameters():
                if parameter.dim() > 1:
                    nn.init.normal_(parameter, std=0.7)

    def start(self) -> list[Any]:
        state: list[Any] = self.decoder.init_state(self.memory, self.lengths)
        return state

    def logits(self, target: Tensor, state: list[Any] | None = None) -> Tensor:
        with torch.no_grad():
            logits: Tensor = self.decoder(target, self.start() if state is None else state)[0]
        return logits

    def stepwise(self) -> Tensor:
        state = self.start()
        return torch.cat([self.logits(word, state) for word in self.target.split(1, 1)], 1)


@check
def the_decoder_leaks_the_future_in_eval() -> Outcome:
    """Change the last target word, and look at the logits of the first."""
    translator = _Translator()
    changed = translator.target.clone()
    changed[0, -1] = (changed[0, -1] + 1) % WORDS
    moved = []
    for training in (True, False):
        translator.decoder.train(training)
        first, other = (translator.logits(target)[0, 0] for target in (translator.target, changed))
        moved.append(float((first - other).abs().max()))
    text = f"A changed last word moves the first logits by {moved[0]:.0f} in train mode, {moved[1]:.2f} in eval mode."
    return Outcome(moved[0] == 0 and moved[1] > 0.01, text)


@check
def the_decoder_gives_every_token_position_zero() -> Outcome:
    """Logits step by step, compared with those of teacher forcing; then with corrected positions."""
    translator = _Translator()
    trained = translator.logits(translator.target)  # in train mode, which has the mask
    translator.decoder.eval()
    off = (translator.stepwise() - trained).abs().amax(-1)[0]
    positions, asked = translator.decoder.positions, iter(range(6))
    table = positions.P

    def at_its_place(x: Tensor) -> Tensor:
        place = next(asked)
        placed: Tensor = x + table[:, place : place + 1]
        return placed

    positions.forward = at_its_place
    mended = float((translator.stepwise() - trained).abs().max())
    by = ", ".join(f"{x:.2f}" for x in off.tolist())
    text = f"The logits of steps 1 to 6 differ from those in training by {by}; with correct positions, by {mended:.0e}."
    return Outcome(float(off[0]) < 1e-4 and float(off[1:].min()) > 0.01 and mended < 1e-4, text)


@check
def the_decoder_changes_the_state_it_is_given() -> Outcome:
    """Make the same call twice, with the same state."""
    translator = _Translator()
    translator.decoder.eval()
    state, word = translator.start(), translator.target[:, :1]
    translator.logits(word, state)
    again, other = translator.target[:, 1:2], translator.target[:, 2:3]
    first = translator.logits(again, state)
    translator.logits(other, state)
    second = translator.logits(again, state)
    length = state[2][0].shape[1]
    text = f"The second result differs by {float((first - second).abs().max()):.2f}; the state now has {length} tokens."
    return Outcome(not torch.allclose(first, second, atol=1e-4) and length == 4, text)


@check
def the_cache_of_the_decoder_holds_inputs() -> Outcome:
    """Compare what the first block stores with its input."""
    translator = _Translator()
    decoder, state = translator.decoder.eval(), translator.start()
    translator.logits(translator.target, state)
    with torch.no_grad():
        given = decoder.positions(decoder.embedding(translator.target) * decoder.scale)
    return Outcome(torch.equal(state[2][0], given), "The first block's cache is its input, bit for bit.")


@check
def the_initial_state_ends_in_an_empty_cache() -> Outcome:
    """The three elements of the state."""
    last = _Translator().start()[2]
    return Outcome(last == [None] * LAYERS, f"The third element of the state is {last}.")


@check
def the_weights_are_kept_in_lists() -> Outcome:
    """The attribute after a call."""
    translator = _Translator()
    translator.logits(translator.target)
    kept = translator.decoder.attention_weights
    text = f"It is a {type(kept).__name__} of {len(kept)} lists, each with one entry for each of {len(kept[0])} layers."
    return Outcome(isinstance(kept, list) and [len(layer) for layer in kept] == [LAYERS, LAYERS], text)


@check
def blocks_of_the_course_normalize_last() -> Outcome:
    """The output of a block has mean 0 and variance 1 at every position."""
    block = d2l.TransformerEncoderBlock(WIDTH, 16, HEADS, 0).eval()
    with torch.no_grad():
        y = block(3 + 5 * torch.randn(2, 5, WIDTH), None)
    mean, deviation = float(y.mean(-1).abs().max()), float((y.std(-1, correction=0) - 1).abs().max())
    text = f"Means are within {mean:.0e} of 0, standard deviations within {deviation:.0e} of 1: AddNorm is last."
    return Outcome(mean < 1e-5 and deviation < 1e-3, text)


# Masked softmax


@check
def d2l_attends_where_nothing_is_valid() -> Outcome:
    """A row with valid length 0."""
    weights = d2l.masked_softmax(torch.randn(1, 1, 4), torch.tensor([0]))
    return Outcome(weights.tolist() == [[[0.25] * 4]], f"Valid length 0 gives the weights {weights[0, 0].tolist()}.")


@check
def d2l_overwrites_the_scores_of_its_caller() -> Outcome:
    """The argument before and after."""
    scores = torch.zeros(1, 1, 3)
    d2l.masked_softmax(scores, torch.tensor([2]))
    return Outcome(
        bool(scores.any()),
        f"Scores of 0, 0, 0 are {', '.join(f'{x:g}' for x in scores[0, 0].tolist())} after the call.",
    )


@check
def d2l_gives_nan_in_half_precision() -> Outcome:
    """A row with valid length 0, on float16."""
    weights = d2l.masked_softmax(torch.zeros(1, 1, 4, dtype=torch.float16), torch.tensor([0]))
    return Outcome(bool(weights.isnan().all()), f"The weights are {weights[0, 0].tolist()}.")


@check
def d2l_keeps_weights_with_their_graph() -> Outcome:
    """The attribute after a call in training."""
    attention, x = d2l.DotProductAttention(0), torch.randn(1, 3, 4, requires_grad=True)
    attention(x, x, x)
    function = attention.attention_weights.grad_fn
    return Outcome(function is not None, f"The stored weights have the grad_fn {type(function).__name__}.")


# Encoder, positions


@check
def the_encoder_of_d2l_gives_steps_first() -> Outcome:
    """Shapes for a batch of 3 sentences of 7 tokens."""
    outputs, _ = d2l.Seq2SeqEncoder(WORDS, 6, 8, 1)(torch.randint(4, WORDS, (3, 7)))
    return Outcome(
        outputs.shape == (7, 3, 8), f"A batch of 3 sentences of 7 tokens gives outputs {tuple(outputs.shape)}."
    )


@check
def the_encoder_of_d2l_reads_padding() -> Outcome:
    """The last state of a sentence with and without padding."""
    encoder = d2l.Seq2SeqEncoder(WORDS, 6, 8, 1)
    with torch.no_grad():
        short, long = (encoder(torch.tensor([words]))[1] for words in ([5, 6, 7], [5, 6, 7, 0, 0, 0]))
    difference = float((short - long).abs().max())
    return Outcome(difference > 0.01, f"Three padding tokens change the last state by up to {difference:.2f}.")


@check
def the_table_of_d2l_does_not_follow_its_module() -> Outcome:
    """The table after .half(), and in the state dictionary."""
    module = d2l.PositionalEncoding(8, 0).half()
    output = module(torch.zeros(1, 3, 8, dtype=torch.float16))
    text = f"After .half(), the table is {module.P.dtype}, and float16 input gives {output.dtype} output."
    return Outcome(module.P.dtype == torch.float32 and output.dtype == torch.float32 and not module.state_dict(), text)


@check
def the_table_of_d2l_has_neither_odd_sizes_nor_long_inputs() -> Outcome:
    """An odd size, and 1001 tokens."""
    odd = error_of(lambda: d2l.PositionalEncoding(7, 0))
    long = error_of(lambda: d2l.PositionalEncoding(8, 0)(torch.zeros(1, 1001, 8)))
    return Outcome(
        bool(odd and long),
        f"Size 7 raises a {odd}, and so do 1001 tokens."
        if odd == long
        else f"Size 7 raises a {odd}, 1001 tokens a {long}.",
    )


# Calls of another version


def _refuses(what: str, *arguments: object) -> Outcome:
    name = error_of(lambda: getattr(d2l, what)(*arguments))
    return Outcome(name == "TypeError", f"In d2l 1.0.3, {what} with these {len(arguments)} arguments raises a {name}.")


@check
def additive_attention_takes_other_arguments() -> Outcome:
    """As the course calls it."""
    return _refuses("AdditiveAttention", 32, 32, 32, 0.1)


@check
def multi_head_attention_takes_other_arguments() -> Outcome:
    """As the course calls it."""
    return _refuses("MultiHeadAttention", 32, 32, 32, 32, 4, 0.1, False)


@check
def the_feed_forward_network_of_d2l_takes_two_arguments() -> Outcome:
    """As the course calls it, if its name were that of d2l."""
    return _refuses("PositionWiseFFN", 32, 64, 32)


@check
def d2l_cannot_train_its_own_encoder_decoder() -> Outcome:
    """train_seq2seq unpacks two values, and the EncoderDecoder of d2l 1.0.3 returns one tensor."""
    encoder = d2l.TransformerEncoder(WORDS, WIDTH, 16, HEADS, 1, 0)
    model = d2l.EncoderDecoder(encoder, TransformerDecoder(WORDS, WIDTH, 16, HEADS, 1, 0.0))
    words, lengths = torch.randint(4, WORDS, (3, 5)), torch.tensor([5, 5, 5])
    given = model(words, words, lengths)

    def unpack() -> None:
        _, _ = given

    name = error_of(unpack)
    return Outcome(
        isinstance(given, Tensor) and name == "ValueError", f"Unpacking the result for 3 sentences raises a {name}."
    )
