"""Planted faults: generation and scores."""

from __future__ import annotations

import sacrebleu
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from attnbook import Transformer
from attnbook.attention.causal import GroupedAttention
from attnbook.data import BOS, EOS, PAD
from bookkit.symptoms.faults.core import Names, planted


class Writer(nn.Module):
    """A language model of one layer: the next token follows from the last one and from its position."""

    def __init__(self, vocab_size: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.words, self.positions = nn.Embedding(vocab_size, 32), nn.Embedding(16, 32)
        self.dropout, self.out = nn.Dropout(dropout), nn.Linear(32, vocab_size)

    def forward(self, ids: Tensor, offset: int = 0) -> Tensor:
        """Logits (batch, length, vocabulary); ``offset`` is the position of the first id."""
        places = torch.arange(offset, offset + ids.shape[1])
        logits: Tensor = self.out(self.dropout(self.words(ids) + self.positions(places)))
        return logits

    def write(self, length: int, *, offsets: bool = True, sample: bool = False) -> list[int]:
        """Append the most probable token again and again, or one drawn by its probability; one token per call."""
        ids = [BOS]
        for i in range(length):
            logits = self(torch.tensor([[ids[-1]]]), i if offsets else 0)[0, -1]
            ids.append(int(logits.softmax(-1).multinomial(1) if sample else logits.argmax()))
        return ids[1:]


def learned(target_in: Tensor, target_out: Tensor, *, ignore: int = PAD, dropout: float = 0.0) -> Writer:
    """A writer that has learned these sentences by heart."""
    model = Writer(24, dropout)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
    for _ in range(80):
        loss = F.cross_entropy(model(target_in).flatten(0, 1), target_out.flatten(), ignore_index=ignore)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model


@planted
def repeats_a_phrase(cause: str | None) -> Names:
    text = torch.tensor([[BOS, 5, 6, 7, 5, 8, 9, 5, 10, EOS]])  # after 5 comes 6, 8 or 10, by its place
    model = learned(text[:, :-1], text[:, 1:]).eval()
    if cause == "greedy loop":
        nn.init.zeros_(model.positions.weight)  # a model that knows only the last token
        with torch.no_grad():  # 5 -> 6 -> 5 is the most probable path, and 7 is nearly as probable as 5
            model.out.weight.zero_()
            model.out.bias.fill_(-9)
            model.words.weight.zero_()
            for word, following in {BOS: [5], 5: [6], 6: [5, 7], 7: [8], 8: [9]}.items():
                model.words.weight[word, word] = 1.0
                model.out.weight[following, word] = 20.0
            model.out.weight[5, 6] += 0.2
    offsets = cause != "positions restart"
    written, sampled = model.write(8, offsets=offsets), model.write(8, offsets=offsets, sample=True)
    stepwise = torch.cat([model(text[:, i : i + 1], i if offsets else 0) for i in range(9)], 1)
    full = model(text[:, :-1])
    return locals()


@planted
def never_stops(cause: str | None) -> Names:
    words = torch.tensor([[5, 6, 7], [8, 9, 10]])
    begin, end = torch.full((2, 1), BOS), torch.full((2, 1), EOS)
    target = torch.cat([begin, words] if cause == "no EOS" else [begin, words, end], 1)
    target_in, target_out = target[:, :-1], target[:, 1:]
    ignored = EOS if cause == "padding is EOS" else PAD
    model = learned(target_in, target_out, ignore=ignored).eval()
    written = model.write(10)
    return locals()


@planted
def good_loss_bad_text(cause: str | None) -> Names:
    text = torch.tensor([[BOS, 5, 6, 7, 8, 9, EOS]])
    target_in, target_out = text[:, :-1], text[:, 1:]
    if cause == "target not shifted":
        target_out = target_in
    model = learned(target_in, target_out, dropout=0.95 if cause == "training mode" else 0.0).eval()
    teacher_forced = (model(target_in).argmax(-1) == target_out).float().mean()  # as validation measures it
    if cause == "training mode":
        model.train()
    written = model.write(6, offsets=cause != "positions restart")
    model.train(cause == "training mode")
    places = [0] * 6 if cause == "positions restart" else range(6)
    stepwise = torch.cat([model(target_in[:, i : i + 1], place) for i, place in enumerate(places)], 1)
    return locals()


@planted
def translations_too_short(cause: str | None) -> Names:
    hypotheses = {"a cat .": [-0.9] * 4, "there is a cat on the mat .": [-0.5] * 9}  # log-probabilities, with <eos>
    reference, max_length = "there is a cat on the mat .", 100
    if cause == "length limit":
        max_length = 5
    average = {text: sum(logs) / len(logs) for text, logs in hypotheses.items()}
    total = {text: sum(logs) for text, logs in hypotheses.items()}
    best = max(hypotheses, key=(total if cause == "sum of logarithms" else average).__getitem__)
    written = best.split()[:max_length]
    return locals()


@planted
def sampled_text_is_nonsense(cause: str | None) -> Names:
    logits = torch.cat([torch.tensor([8.0, 7.0, 6.0]), torch.randn(2000)])  # three good tokens, and a long tail
    temperature = 1.0 if cause == "long tail" else 0.5
    probabilities = (logits / temperature).softmax(-1)
    if cause == "multiplied by the temperature":
        probabilities = (logits * temperature).softmax(-1)
    if cause == "softmax twice":
        probabilities = probabilities.softmax(-1)
    return locals()


@planted
def cache_changes_the_logits(cause: str | None) -> Names:
    dtype = torch.float16 if cause == "rounding" else torch.float64
    layer, table = GroupedAttention(64, 2, 2).to(dtype), torch.randn(40, 64, dtype=dtype)  # one row per position
    words = torch.randn(1, 40, 64, dtype=dtype)
    x = words + table
    full = layer(x)[0]
    past, steps, lengths = None, [], []
    places = [0] * 40 if cause == "positions restart" else list(range(40))
    for i, place in enumerate(places):
        if cause == "cache not passed on":
            past = None
        if cause == "cache cut short" and past is not None:
            past = (past[0][:, :, -2:], past[1][:, :, -2:])
        output, past = layer(words[:, i : i + 1] + table[place], past)
        steps.append(output)
        lengths.append(past[0].shape[2])  # tokens in the cache
    stepwise = torch.cat(steps, 1)
    return locals()


@planted
def single_query_sees_one_key(cause: str | None) -> Names:
    q, k, v = torch.randn(3, 1, 2, 6, 8).unbind(0)  # (batch, heads, length, head_dim)
    full = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    query, is_causal = q[:, :, -1:], cause == "is_causal"  # the step of the last token
    step = F.scaled_dot_product_attention(query, k, v, is_causal=is_causal)
    return locals()


@planted
def batched_generation_differs(cause: str | None) -> Names:
    model = Transformer(24, 24, d_model=16, num_heads=2, d_ff=32, num_layers=1).double().eval()
    source = torch.tensor([[5, 6, EOS, PAD, PAD], [7, 8, 9, 10, EOS]])
    mask = source != PAD
    if cause == "no source mask":
        mask = torch.ones_like(mask)
    lengths, target_in = [3, 5], torch.tensor([[BOS, 5, 6, PAD, PAD], [BOS, 7, 8, 9, 10]])
    columns = [-1, -1] if cause == "last column" else [n - 1 for n in lengths]  # where the next token is predicted
    logits = model(source, target_in, mask)
    chosen = torch.stack([row[i] for row, i in zip(logits, columns, strict=True)])
    alone = torch.cat([model(source[:1, :3], target_in[:1, :3])[:, -1], model(source[1:], target_in[1:])[:, -1]])
    return locals()


@planted
def text_after_the_end(cause: str | None) -> Names:
    rows = [[5, 6, EOS, 9, 9], [7, 8, 10, 11, EOS]]  # the first sentence ended early, and the batch ran on
    written = rows if cause == "not cut" else [row[: row.index(EOS)] for row in rows]
    alone = [[5, 6], [7, 8, 10, 11]]
    return locals()


@planted
def bleu_is_zero(cause: str | None) -> Names:
    hypotheses, references = ["the cat sits on the mat ."], ["the cat sits on the red mat ."]
    if cause == "no spaces":
        hypotheses, references = ["那只猫坐在垫子上。"], ["猫坐在垫子上。"]
    if cause == "short sentences":
        hypotheses, references = ["hello world"], ["hello world"]
    score = sacrebleu.corpus_bleu(hypotheses, [references]).score
    return locals()


@planted
def bleu_sees_one_sentence(cause: str | None) -> Names:
    hypotheses = ["the cat sits on the mat .", "nonsense"]
    references = [["the cat sits on the mat .", "he eats a red apple today ."]]  # one list for each set of references
    if cause == "one list per sentence":
        references = [[text] for text in references[0]]
    score = sacrebleu.corpus_bleu(hypotheses, references).score
    other = sacrebleu.corpus_bleu([hypotheses[0], references[-1][-1]], references).score  # the second sentence mended
    return locals()


@planted
def bleu_higher_than_published(cause: str | None) -> Names:
    hypotheses = ["the lowest newer tower fell down today", "a lower new road"]
    references = ["the lowest newest tower fell down today", "a lower and newer road was built there"]
    pieces = {"lowest": "low@@ est", "newer": "new@@ er", "newest": "new@@ est", "lower": "low@@ er"}

    def cut(text: str) -> str:
        return " ".join(pieces.get(word, word) for word in text.split())

    scored = (hypotheses, references)
    if cause == "pieces":
        scored = ([cut(text) for text in hypotheses], [cut(text) for text in references])
    published = sacrebleu.corpus_bleu(hypotheses, [references]).score
    score = sacrebleu.corpus_bleu(scored[0], [scored[1]]).score
    sentences = [sacrebleu.sentence_bleu(h, [r]).score for h, r in zip(hypotheses, references, strict=True)]
    if cause == "mean over sentences":
        score = sum(sentences) / len(sentences)
    return locals()
