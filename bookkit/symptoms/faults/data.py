"""Planted faults: data and vocabulary."""

from __future__ import annotations

import unicodedata

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from attnbook import MultiHeadAttention, Subwords, Vocabulary
from attnbook.data import BOS, EOS, PAD, UNK, grammar, pad
from bookkit.symptoms.faults.core import Names, message_of, planted


@planted
def full_of_unk(cause: str | None) -> Names:
    training = [list(pair.source) for pair in grammar.sample(400, seed=1)]
    sentences = [list(pair.source) for pair in grammar.sample(50, seed=2)]
    known = Vocabulary.build(training, min_count=40 if cause == "rare words dropped" else 1)
    if cause == "case":
        sentences = [[word.upper() for word in sentence] for sentence in sentences]
    if cause == "punctuation":
        sentences = [[*sentence[:-2], "".join(sentence[-2:])] for sentence in sentences]
    if cause == "new words":
        sentences = [[word[::-1] + "x" for word in sentence] for sentence in sentences]
    if cause == "string for a list":
        sentences = [list(" ".join(sentence)) for sentence in sentences]  # what a loop over a string gives
    words = set(known.words)
    train_words = {word for sentence in training for word in sentence}
    missing = [word for sentence in sentences for word in sentence if word not in words]
    unk_share = sum(known.encode(sentence).count(UNK) for sentence in sentences) / sum(map(len, sentences))
    return locals()


@planted
def index_out_of_range(cause: str | None) -> Names:
    embedding, positions = nn.Embedding(20, 8), nn.Embedding(16, 8)
    ids = torch.randint(4, 20, (2, 40 if cause == "too long" else 10))
    if cause == "new tokens":
        ids[0, 3] = 20  # a token that was added to the vocabulary after the model was made
    if cause == "ignored label":
        ids[0, 3] = -100  # what the loss ignores was left in the model's input
    message = message_of(lambda: embedding(ids) + positions(torch.arange(ids.shape[1])))
    return locals()


@planted
def target_out_of_bounds(cause: str | None) -> Names:
    logits, target = torch.randn(6, 20), torch.randint(0, 20, (6,))
    if cause == "padded with -1":
        target[-1] = -1
    if cause == "labels from one":
        target = target + 20 - target.max()  # the largest of 1, 2, ..., 20
    message = message_of(lambda: F.cross_entropy(logits, target))
    return locals()


@planted
def garbage_after_loading(cause: str | None) -> Names:
    sentences = [["the", "cat", "sees", "the", "dog"], ["a", "dog", "sleeps"]]
    vocabulary = Vocabulary.build(sentences)

    class Model(nn.Module):
        def __init__(self, num_heads: int) -> None:
            super().__init__()
            self.words, self.out = nn.Embedding(len(vocabulary), 8), nn.Linear(8, len(vocabulary))
            self.attention = MultiHeadAttention(8, num_heads)
            for parameter in self.parameters():
                nn.init.normal_(parameter)  # large, as after training

        def forward(self, ids: Tensor) -> Tensor:
            x = self.words(ids)[None]
            logits: Tensor = self.out(x + self.attention(x, x, x))[0]
            return logits

    model = Model(num_heads=2)
    saved = {f"module.{k}" if cause == "renamed weights" else k: v for k, v in model.state_dict().items()}
    saved_words = vocabulary.words

    loaded = Model(num_heads=8 if cause == "other settings" else 2)
    report = loaded.load_state_dict(saved, strict=False)
    if cause == "other vocabulary":
        vocabulary = Vocabulary(tuple(reversed(saved_words)))  # the same words, in another order
    read = torch.tensor(Vocabulary(saved_words).encode(sentences[0]))
    before = Vocabulary(saved_words).decode(model(read).argmax(-1).tolist())
    after = vocabulary.decode(loaded(torch.tensor(vocabulary.encode(sentences[0]))).argmax(-1).tolist())
    return locals()


@planted
def test_score_too_good(cause: str | None) -> Names:
    pairs = [(" ".join(pair.source), " ".join(pair.target)) for pair in grammar.sample(600, seed=1)]
    pairs = list(dict(pairs).items())  # every source once
    train, test = pairs[:-40], pairs[-40:]
    if cause == "same pairs":
        test = train[:40]
    if cause == "same sources":
        test = [(source, target + " !") for source, target in train[:40]]  # another translation of the same sentence
    table = dict(train)  # no model at all: it repeats what stood in the training data

    def overlap(written: str, reference: str) -> float:
        a, b = written.split(), reference.split()
        return sum(word in b for word in a) / max(len(a), len(b))

    score = sum(overlap(table.get(source, ""), target) for source, target in test) / len(test)
    return locals()


@planted
def stack_expects_equal_size(cause: str | None) -> Names:
    rows = [torch.tensor([5, 6, 7]), torch.tensor([8, 9])]
    if cause is None:
        rows = list(pad([row.tolist() for row in rows])[0])
    message = message_of(lambda: torch.stack(rows))
    return locals()


@planted
def one_word_is_never_learned(cause: str | None) -> Names:
    words = ["the", "cat", "sleeps"] if cause == "id of padding" else ["<pad>", "the", "cat", "sleeps"]
    number = {word: i for i, word in enumerate(words)}
    target = torch.tensor([number[word] for word in ["the", "cat", "sleeps"]])
    logits = torch.zeros(3, len(words), requires_grad=True)
    ignored = 0  # the id of padding
    F.cross_entropy(logits, target, ignore_index=ignored).backward()
    assert logits.grad is not None
    gradient = logits.grad
    return locals()


@planted
def first_word_is_wrong(cause: str | None) -> Names:
    words = torch.tensor([[7, 8, 9], [5, 6, 4]])
    begin, end = torch.full((2, 1), BOS), torch.full((2, 1), EOS)
    target = torch.cat([words, end], 1) if cause == "no BOS" else torch.cat([begin, words, end], 1)
    target_in, target_out = target[:, :-1], target[:, 1:]
    return locals()


@planted
def source_and_target_do_not_match(cause: str | None) -> Names:
    pairs = grammar.sample(200, seed=3)
    source, target = [pair.source for pair in pairs], [pair.target for pair in pairs]
    if cause == "shifted":
        target = target[1:] + target[:1]  # one line is missing at the top of one file
    if cause == "sorted":
        target = sorted(target, key=len)  # one side was sorted on its own
    questions = sum((s[-1] == "?") == (t[-1] == "?") for s, t in zip(source, target, strict=True)) / len(source)
    lengths = torch.tensor([[len(s) for s in source], [len(t) for t in target]], dtype=torch.float32)
    return locals()


@planted
def words_fall_apart(cause: str | None) -> Names:
    corpus = [["lower", "lowest", "newer", "newest"], ["low", "new", "wide", "wider"]]
    subwords = Subwords.build(corpus, size=265)
    sentence = ["newer", "wider"]
    ids = subwords.encode(sentence)
    written = " ".join(subwords.pieces(ids) if cause == "pieces joined" else subwords.decode(ids))
    return locals()


@planted
def same_word_twice_in_vocabulary(cause: str | None) -> Names:
    words = ["café", "thé", "café", "thé"]
    if cause == "unicode":
        words[2:] = [unicodedata.normalize("NFD", word) for word in words[2:]]
    if cause == "spaces":
        words[2:] = [word + "\u00a0" for word in words[2:]]  # a no-break space, which a split at " " leaves
    if cause == "case":
        words[2:] = [word.capitalize() for word in words[2:]]
    vocabulary = Vocabulary.build([words])
    regular = {unicodedata.normalize("NFC", word).strip().lower() for word in words}
    entries = [word for word in vocabulary.words if "<" not in word]
    return locals()


@planted
def mostly_padding(cause: str | None) -> Names:
    lengths = [5, 7, 6, 8]
    if cause == "fixed length":
        width = 40
    else:
        lengths = [5, 7, 6, 40] if cause == "one long sentence" else lengths
        width = max(lengths)
    mask = torch.arange(width) < torch.tensor(lengths)[:, None]  # (sentences, tokens): True = a real token
    ids = torch.full(mask.shape, PAD).masked_fill(mask, 5)
    return locals()
