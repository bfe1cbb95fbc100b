"""Looking takes no more than its share of the time of training."""

from __future__ import annotations

import pytest

from attnbook.widgets.budget import TimeBudget


def test_budget_keeps_a_third_of_its_share_for_costs_it_cannot_measure():
    now = 0.0
    budget = TimeBudget(0.02, least=0.2, clock=lambda: now)
    spent = 0.0
    while now < 100:
        if budget.due():
            cost = 0.003 if now < 50 else 0.04
            spent += cost
            now += cost
            budget.spent(cost)
        now += 0.001
    assert spent > 0.008 * 100
    assert 1.5 * spent < 0.02 * 100


@pytest.mark.parametrize("share", [0, -1, 1.5])
def test_budget_raises_for_share_out_of_range(share):
    with pytest.raises(ValueError, match=r"^share must"):
        TimeBudget(share, least=0.2)
