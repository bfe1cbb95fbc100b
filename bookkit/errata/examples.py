"""Faults of the worked examples that are visible in the printed numbers."""

from __future__ import annotations

import math

import torch

from bookkit.errata.core import Outcome, check
from bookkit.errata.worked import steps


def _rows(values: torch.Tensor) -> str:
    return ", ".join(f"{value:.2f}" for value in values.tolist())


@check
def the_continued_example_has_another_size() -> Outcome:
    """The example "above" has a different embedding matrix."""
    found = steps()
    sizes = [found[name].inputs["E"].shape[1] for name in ("embedding.lookup", "positions.words")]
    return Outcome(sizes[0] != sizes[1], f"The two embedding matrices have {sizes[0]} and {sizes[1]} columns.")


@check
def a_softmax_keeps_the_order() -> Outcome:
    """Find rows in which a smaller printed score has a larger printed weight."""
    step = steps()["attention.weights"]
    score, weight = step.inputs["x"], step.printed
    against = (score.unsqueeze(2) < score.unsqueeze(1)) & (weight.unsqueeze(2) > weight.unsqueeze(1))
    rows = [i + 1 for i in range(len(score)) if against[i].any()]
    text = f"In rows {rows}, a smaller score has a larger weight; in row 1, {score[0, 0]:.2f} gets {weight[0, 0]:.2f}"
    return Outcome(bool(rows), f"{text} and {score[0, 3]:.2f} gets {weight[0, 3]:.2f}.")


@check
def rows_of_the_example_do_not_sum_to_one() -> Outcome:
    """Rounding four weights to two digits can move their sum by 0.02."""
    sums = steps()["multi-head.weights"].printed.sum(1)
    return Outcome(bool(((sums - 1).abs() > 0.021).all()), f"The rows sum to {_rows(sums)}.")


@check
def the_output_of_the_example_is_no_mean_of_its_values() -> Outcome:
    """With the printed weight on the largest value, no mean can be as large as the printed one."""
    step = steps()["attention.output"]
    value = step.inputs["V"][:, 0]
    largest = int(value.argmax())
    share = step.inputs["weights"][:, largest] + 0.005  # it was rounded
    second = value[torch.arange(len(value)) != largest].max()
    bound = share * value[largest] + (1 - share) * second
    printed = step.printed[:, 0]
    text = f"The note prints {_rows(printed)}. With its weights, no mean can be above {_rows(bound)}."
    return Outcome(bool((printed > bound).all()), text)


@check
def the_last_dimension_falls() -> Outcome:
    """Dimension 3 in the note's own numbers."""
    course = steps()["positions-again.table"].printed[:, 3]
    text = f"The note's dimension 3 is {', '.join(f'{x:.4f}' for x in course.tolist())}."
    return Outcome(bool((course.diff() < 0).all()), text)


@check
def no_dimension_takes_the_printed_course() -> Outcome:
    """The two sequences in the explanation compared with the columns of the table next to it."""
    table = steps()["positions-again.table"].printed
    courses = [[0.0, 0.9093, -0.4161], [0.0, 0.1987, 0.9801]]
    matching = [column for column in table.T.tolist() if column in courses]
    columns = "; ".join(", ".join(f"{x:g}" for x in column) for column in table.T.tolist())
    return Outcome(not matching, f"The columns of the note's table are {columns}.")


@check
def positions_are_longer_than_the_words_of_the_example() -> Outcome:
    """Lengths of the two summands for the first word."""
    step = steps()["positions-again.sum"]
    word, code = (float(step.inputs[name][0].norm()) for name in ("x", "p"))
    expected = math.sqrt(step.inputs["x"].shape[1] / 2)
    text = f"The first word has length {word:.2f}; its position code, like every code, has length {code:.2f}."
    return Outcome(code > word and math.isclose(code, expected, abs_tol=1e-3), text)


@check
def the_middle_word_keeps_its_vector() -> Outcome:
    """Reverse the three words and add the same codes."""
    step = steps()["positions-again.sum"]
    forward = step.inputs["x"] + step.inputs["p"]
    backward = step.inputs["x"].flip(0) + step.inputs["p"]
    same = [i for i in range(3) if torch.equal(forward[i], backward[i])]
    return Outcome(same == [1], f"Positions (from 0) with the same vector in both sentences: {same}.")
