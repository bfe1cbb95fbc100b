// Labeled form controls. Each has an `element`, an `input` and `show(value)`, which updates it.
import { element, set, write } from "./dom.js";

/** @typedef {{ to: (value: number) => number, from: (place: number) => number }} Scale */

/** @type {Scale} */
const LINEAR = { to: (value) => value, from: (place) => place };
/** Slider positions are exponents of 2. @type {Scale} */
export const POWERS = { to: Math.log2, from: (place) => 2 ** place };
/** Slider positions are logarithms. @type {Scale} */
export const LOGARITHM = { to: Math.log, from: Math.exp };
/** Slider positions are indices into a list. @param {number[]} list @returns {Scale} */
export const listed = (list) => ({ to: (value) => list.indexOf(value), from: (place) => list[place] });

/**
 * @param {string} name
 * @param {{ min: number, max: number, step?: number, scale?: Scale, says?: (value: number) => string }} options
 *   `min`, `max` and `step` are slider positions; `says` formats the value shown next to the label
 * @param {(value: number) => void} chosen
 */
export function slider(name, { min, max, step = 1, scale = LINEAR, says = String }, chosen) {
  const input = element("input", { type: "range", min, max, step });
  const value = element("span", { class: "value", "aria-hidden": "true" });
  const words = element("span", { class: "words" }, element("span", { text: name }), value);
  input.addEventListener("input", () => chosen(scale.from(Number(input.value))));
  return {
    element: element("label", { class: "field" }, words, input),
    input,
    /** @param {number} now */
    show(now) {
      input.value = String(scale.to(now));
      set(input, { "aria-valuetext": says(now) });
      write(value, says(now));
    },
  };
}

/**
 * @param {string} name
 * @param {Iterable<[string | number, string | number]>} options values and labels
 * @param {(value: string) => void} chosen
 */
export function choice(name, options, chosen) {
  const input = element("select");
  input.addEventListener("change", () => chosen(input.value));
  const own = {
    element: element("label", { class: "field" }, element("span", { class: "words", text: name }), input),
    input,
    /** @param {Iterable<[string | number, string | number]>} list */
    offer(list) {
      input.replaceChildren(...Array.from(list, ([value, text]) => new Option(String(text), String(value))));
    },
    /** Selects a value and adds it to the list if it is missing. @param {string | number} now */
    show(now) {
      const value = String(now);
      if (![...input.options].some((option) => option.value === value)) input.append(new Option(value, value));
      input.value = value;
    },
  };
  own.offer(options);
  return own;
}

/**
 * @param {string} name
 * @param {(on: boolean) => void} chosen
 */
export function checkbox(name, chosen) {
  const input = element("input", { type: "checkbox" });
  input.addEventListener("change", () => chosen(input.checked));
  return {
    element: element("label", { class: "check" }, input, element("span", { text: name })),
    input,
    /** @param {boolean} on */
    show(on) {
      input.checked = on;
    },
  };
}

/**
 * @param {string} name
 * @param {() => void} pressed
 */
export function button(name, pressed) {
  const node = element("button", { type: "button", text: name });
  node.addEventListener("click", () => {
    if (node.ariaDisabled !== "true") pressed();
  });
  return node;
}

/** The button of a widget that is pressed most often. @param {string} name @param {() => void} pressed */
export const primaryButton = (name, pressed) => set(button(name, pressed), { class: "primary" });

/**
 * Grays a button out, or not. The `disabled` attribute would move the focus to the start of the page when the button
 * disables itself.
 *
 * @param {HTMLButtonElement} node
 * @param {boolean} out
 */
export function greyOut(node, out) {
  set(node, { "aria-disabled": out ? "true" : null });
}
