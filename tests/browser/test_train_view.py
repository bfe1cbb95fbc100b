"""Training in a browser without network, from disk, under a strict policy: it equals torch's training."""

from __future__ import annotations

import re
from typing import Any

import pytest
import torch
from playwright.sync_api import expect

from attnbook.widgets.base import bundle
from attnbook.widgets.static import saved_state, static_html, static_page
from attnbook.widgets.train_view import TrainView
from tests.browser.widgets import said, stand
from tests.support.js_engine import node
from tests.support.training_twin import Twin, ask

POLICY = "default-src 'none'; script-src 'self' 'unsafe-inline' blob:; style-src 'unsafe-inline'; img-src data:"
# The longest time between two frames while it trains, in milliseconds.
LONGEST_FRAME = """() => new Promise(done => {
    let last = performance.now(), longest = 0;
    const end = last + 1500;
    const frame = now => {
        longest = Math.max(longest, now - last);
        last = now;
        now < end ? requestAnimationFrame(frame) : done(longest);
    };
    requestAnimationFrame(frame);
})"""

# Show a view in a page without workers, as a notebook does; `cleanup` removes it.
REMOVABLE = """async ([esm, settings]) => {
    delete globalThis.Worker;
    const url = URL.createObjectURL(new Blob([esm], { type: "text/javascript" }));
    const { default: widget } = await import(url);
    const state = { settings, name: "train", title: "Train", tip: "" };
    const model = { get: name => state[name], on() {}, off() {} };
    globalThis.cleanup = await widget.render({ model, el: document.body });
}"""

# How many slices of training the page works off in 300 milliseconds: each ends with a message to itself.
SLICES = """async () => {
    const { MessageChannel } = globalThis;
    let count = 0;
    globalThis.MessageChannel = class extends MessageChannel { constructor() { super(); count++; } };
    await new Promise(done => setTimeout(done, 300));
    globalThis.MessageChannel = MessageChannel;
    return count;
}"""

# Choose an option, and say at once which step is shown.
CHOSEN = """(node, value) => {
    node.value = value;
    node.dispatchEvent(new Event("change"));
    return node.getRootNode().querySelector(".now").textContent;
}"""


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Any:
    path = tmp_path_factory.mktemp("site") / "index.html"
    body = static_html(saved_state(TrainView(rate=0.003)))
    meta = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
    path.write_text(static_page(body, title="Train").replace("<head>", f"<head>{meta}"), encoding="utf-8")
    return path


@pytest.fixture
def page(open_page: Any, path: Any) -> Any:
    watched = stand(open_page, path)
    yield watched.page
    watched.assert_quiet()


def press(page: Any, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def steps(page: Any) -> int:
    (number,) = re.findall(r"step ([\d,]+)", page.locator(".now").inner_text())
    return int(number.replace(",", ""))


def weights(page: Any) -> Any:
    cells = page.locator(".heatmap .cell").evaluate_all("all => all.map(n => Number(n.getAttribute('fill-opacity')))")
    return torch.tensor(cells)


def test_training_steps_equal_torch(page: Any) -> None:
    if node() is None:
        pytest.skip("there is no Node here to hand over lists and first weights")
    settings = dict(TrainView(rate=0.003).settings)
    count = 3
    (answer,) = ask([{"settings": settings, "steps": count}])
    for number in range(count):
        press(page, "One step")
        page.get_by_text(f"step {number + 1}:").wait_for()
    twin = Twin(answer, settings)
    optimizer = torch.optim.Adam(twin.parameters(), lr=settings["rate"], betas=(0.9, 0.99))
    for lists in answer["lists"]:
        optimizer.zero_grad()
        twin.loss(lists).backward()
        optimizer.step()
    wanted = twin.looked(answer["look"]["example"]).flatten()
    assert torch.allclose(weights(page).double(), wanted, atol=6e-4), "the page has three decimals"


def test_network_learns_to_attend(page: Any) -> None:
    assert steps(page) == 0 and "Press Start" in said(page)
    press(page, "Start")
    page.locator("output", has_text="Learned: recall by name").wait_for(timeout=60_000)
    page.get_by_role("button", name="Train on").wait_for()
    assert page.locator(".heatmap text").filter(has_text="✓").count() >= 7
    assert float(weights(page).view(8, 8).max(1).values.mean()) > 0.5
    now = steps(page)
    page.wait_for_timeout(300)
    assert steps(page) <= now + 20, "it rests"


def test_step_slider_restores_first_and_last_weights(page: Any) -> None:
    first = weights(page)
    press(page, "Start")
    page.get_by_role("button", name="Train on").wait_for(timeout=60_000)
    film = page.get_by_role("slider", name="Step shown")
    last = weights(page)
    film.fill("0")
    assert steps(page) == 0 and torch.equal(weights(page), first)
    film.fill(film.get_attribute("max"))
    assert torch.equal(weights(page), last) and not torch.equal(first, last)


def test_second_network_without_attention_is_worse(page: Any) -> None:
    page.get_by_role("combobox", name="Compare with").select_option("attention")
    press(page, "Start")
    page.get_by_role("button", name="Train on").wait_for(timeout=60_000)
    (mine, other) = re.findall(r"(\d+) %", page.locator(".now").inner_text())
    assert int(mine) >= 95 and int(other) < 50


def test_change_of_the_net_reaches_the_training_and_the_status(page: Any) -> None:
    page.get_by_role("checkbox", name="attention").uncheck()
    press(page, "Start")
    page.locator("output", has_text="the mean of the list").wait_for(timeout=60_000)  # the other texts: train.test.js


def test_address_restores_choices(page: Any, open_page: Any) -> None:
    page.get_by_role("combobox", name="Task").select_option("dates")
    page.get_by_role("combobox", name="Heads").select_option("4")
    page.get_by_role("slider", name="Rate").fill("4")
    press(page, "New seed")
    page.wait_for_function("() => location.hash === '#train.task=dates&train.heads=4&train.rate=0.01&train.seed=2'")
    again = stand(open_page, page.url)
    assert again.page.get_by_role("combobox", name="Task").input_value() == "dates"
    assert torch.equal(weights(again.page), weights(page)), "the same first weights, and the same list"
    press(page, "Reset")
    assert page.get_by_role("combobox", name="Task").input_value() == "recall" and steps(page) == 0


def test_change_restarts_training(page: Any) -> None:
    page.get_by_role("slider", name="Rate").fill("0")  # so that it has not learned before the test has looked
    press(page, "Start")
    page.get_by_text(re.compile(r"step [1-9]")).wait_for()
    assert page.get_by_role("combobox", name="Layers").evaluate(CHOSEN, "2").startswith("step 0:")
    page.get_by_text(re.compile(r"step [1-9]")).wait_for()  # without another press of Start


def test_training_without_worker_runs_in_page(open_page: Any, path: Any) -> None:
    watched = open_page("about:blank")
    watched.page.add_init_script("delete globalThis.Worker;")
    watched.page.goto(path.as_uri())
    watched.page.wait_for_selector("[data-attnbook-mounted=yes]")
    press(watched.page, "Start")
    watched.page.locator("output", has_text="Learned: recall by name").wait_for(timeout=60_000)
    watched.assert_quiet()


def test_removed_view_stops_training_in_page(open_page: Any) -> None:
    watched = open_page("about:blank")
    settings = TrainView(rate=0.0001).settings  # so that it has not learned before it is removed
    watched.page.evaluate(REMOVABLE, [bundle("train_view").read_text(encoding="utf-8"), settings])
    press(watched.page, "Start")
    watched.page.get_by_text(re.compile(r"step [1-9]")).wait_for()
    assert watched.page.evaluate(SLICES) > 5
    watched.page.evaluate("() => cleanup()")
    watched.page.wait_for_timeout(100)
    assert watched.page.evaluate(SLICES) == 0
    watched.assert_quiet()


def test_page_responds_while_training(page: Any) -> None:
    page.get_by_role("slider", name="Rate").fill("0")  # so that it has not learned before the test has looked
    press(page, "Start")
    page.wait_for_timeout(500)
    before = steps(page)
    longest = page.evaluate(LONGEST_FRAME)
    print(f"{(steps(page) - before) / 1.5:.0f} steps/s, longest frame {longest:.0f} ms")
    assert steps(page) > before


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (360, 780)])
def test_card_fits_viewport(open_page: Any, path: Any, width: int, height: int) -> None:
    page = stand(open_page, path, width=width, height=height).page
    heights = set()
    for task in ("recall", "dates", "reverse"):
        page.get_by_role("combobox", name="Task").select_option(task)
        heights.add(page.locator("section.card").evaluate("node => node.offsetHeight"))
    assert len(heights) == 1 and heights.pop() <= {720: 600, 780: 700}[height]
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_training_pauses_out_of_view_and_resumes(page: Any) -> None:
    page.evaluate("document.body.style.paddingBottom = '300vh'")
    page.get_by_role("slider", name="Rate").fill("0")  # so that it has not learned before the test has looked
    press(page, "Start")
    page.get_by_text(re.compile(r"step [1-9]")).wait_for()
    page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
    page.wait_for_timeout(1500)
    resting = steps(page)
    page.wait_for_timeout(700)
    assert steps(page) == resting
    page.evaluate("window.scrollTo(0, 0)")
    expect(page.locator(".now")).not_to_have_text(re.compile(rf"step {resting:,}\b"))
    assert steps(page) > resting
    press(page, "Pause")
