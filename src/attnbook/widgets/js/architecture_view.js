// A map of the Transformer: boxes show tensor shapes, switches disable parts and show the resulting translation.
import { BOXES, boxOf, SWITCHES } from "./architecture/boxes.js";
import { drawMap, HEIGHT, STYLE as MAP, WIDTH } from "./architecture/map.js";
import { checkbox, choice } from "./shared/controls.js";
import { element, set } from "./shared/dom.js";
import { WidgetCard } from "./shared/widget_card.js";

const STYLE = `${MAP}
.architecture .sides { display: flex; flex-wrap: wrap; gap: 8px 20px; align-items: start; }
.architecture .sides > svg { flex: 1 1 320px; max-width: 380px; }
.architecture .beside { flex: 1 1 240px; }
.architecture .panels, .architecture .switches { display: grid; }
.architecture .switches { grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); gap: 0 12px; margin-top: 6px; }
.architecture .panel { grid-area: 1 / 1; }
.architecture .panel:not(.chosen) { visibility: hidden; }
.architecture .panel p { margin: 4px 0; }
.architecture .name { font-weight: 650; }
.architecture .panel a { color: var(--weight); display: inline-block; line-height: 24px; }
.architecture dl { display: grid; grid-template-columns: auto 1fr; gap: 2px 12px; margin: 6px 0; font-variant-numeric: tabular-nums; }
.architecture dt { color: var(--muted); }
.architecture dd { margin: 0; }
`;

/** @typedef {{ text: string, source: number, target: number, writes: string[] }} Sentence translations by the set of disabled parts */

const quoted = (/** @type {string} */ text) => (text ? `“${text}”` : "nothing at all.");

/** Describes the translation with some parts disabled. @param {Sentence} sentence @param {string[]} parts @param {string[]} off */
function says(sentence, parts, off) {
  const whole = `“${sentence.text}” With all parts on, the model writes: ${quoted(sentence.writes[0])}`;
  if (!off.length) return whole;
  const names = off.length > 2 ? `${off.length} parts` : off.map((part) => SWITCHES[part]).join(" and ");
  const now = sentence.writes[off.reduce((sum, part) => sum + 2 ** parts.indexOf(part), 0)];
  return `${whole} Without ${names}: ${now === sentence.writes[0] ? "the same." : quoted(now)}`;
}

/** @param {import("@anywidget/types").RenderProps} place */
function render(place) {
  const { model } = place;
  const parts = /** @type {string[]} */ (model.get("parts"));
  const sentences = /** @type {Sentence[]} */ (model.get("sentences"));
  const view = new WidgetCard(place, {
    name: "architecture",
    title: "A map of the Transformer",
    tip: "select a box to see the shapes that pass through it. Then switch parts off one at a time. Which ones does this sentence need?",
    style: STYLE,
    names: ["sentence", "chosen", "off"],
  });
  const picture = view.picture(WIDTH, HEIGHT, { wide: WIDTH, label: "Map of encoder and decoder" });
  set(picture, { role: "group" });
  const panels = Object.fromEntries(Object.keys(BOXES).map((id) => [id, panel(model, id)]));
  const switches = makeSwitches(view, parts);
  const beside = element(
    "div",
    { class: "beside" },
    element("div", { class: "panels", "aria-live": "polite" }, ...Object.values(panels).map(({ node }) => node)),
    element("div", { class: "switches" }, ...switches.map(({ box }) => box.element)),
  );
  view.figure.append(element("div", { class: "sides" }, picture, beside));
  const mark = drawMap(picture, model.get("sizes").num_layers, (chosen) => view.change({ chosen }));
  const sentence = choice(
    "Sentence",
    sentences.map(({ text }, i) => [i, text]),
    (i) => view.change({ sentence: Number(i) }),
  );
  view.controls.append(sentence.element);
  const subsets = Array.from({ length: 2 ** parts.length }, (_, set) => parts.filter((_, bit) => set & (2 ** bit)));
  for (const it of sentences) view.reserve(subsets.map((off) => says(it, parts, off)));

  return view.start(() => {
    const [chosen, off, now] = [model.get("chosen"), model.get("off"), sentences[model.get("sentence")]];
    mark(chosen, off);
    for (const [id, { node, show }] of Object.entries(panels)) {
      node.classList.toggle("chosen", id === chosen);
      show(now.source, now.target);
    }
    for (const { part, box } of switches) box.show(!off.includes(part));
    sentence.show(model.get("sentence"));
    view.say(says(now, parts, off));
  });
}

/** One switch per part. @param {WidgetCard} view @param {string[]} parts */
function makeSwitches(view, parts) {
  return parts.map((part) => {
    const box = checkbox(SWITCHES[part], (on) => {
      const off = /** @type {string[]} */ (view.model.get("off"));
      const rest = parts.filter((other) => (other === part ? !on : off.includes(other)));
      view.change({ off: rest, chosen: boxOf(part) });
    });
    return { part, box };
  });
}

/** The details of a box. @param {import("@anywidget/types").AnyModel} model @param {string} id */
function panel(model, id) {
  const { name, does, shapes } = BOXES[id];
  const sizes = model.get("sizes");
  const list = element("dl");
  const node = element(
    "div",
    { class: "panel" },
    element("div", { class: "name", text: name }),
    element("p", { text: does }),
    list,
  );
  const section = model.get("sections")[id];
  if (section && document.getElementById(section))
    node.append(element("a", { href: `#${section}`, text: "Go to its section" }));
  return {
    node,
    /** @param {number} source @param {number} target */
    show(source, target) {
      const rows = [
        ...shapes({ sizes, source, target }),
        ["parameters", model.get("parameters")[id].toLocaleString("en")],
      ];
      list.replaceChildren(
        ...rows.flatMap(([what, shape]) => [element("dt", { text: what }), element("dd", { text: shape })]),
      );
    },
  };
}

export default { render };
