// Export buttons: a link, the picture as SVG with inlined styles or as PNG, and the data as JSON.
import { button } from "../shared/controls.js";
import { download, svgText, toPng } from "../shared/files.js";

const LOOKS = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "font", "text-decoration"];

/** @param {SVGSVGElement} drawing as rendered in the page @param {string} background */
function toSvg(drawing, background) {
  const copy = /** @type {SVGSVGElement} */ (drawing.cloneNode(true));
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  const originals = drawing.querySelectorAll("*");
  copy.querySelectorAll("*").forEach((node, i) => {
    const style = getComputedStyle(originals[i]);
    node.setAttribute("style", LOOKS.map((name) => `${name}: ${style.getPropertyValue(name)}`).join("; "));
    node.removeAttribute("class");
  });
  copy.style.background = background;
  return svgText(copy);
}

/**
 * @param {{drawing: () => SVGSVGElement | null, background: () => string, data: () => object, link: (() => void) | null}} of
 * @returns {HTMLButtonElement[]}
 */
export function exportButtons({ drawing, background, data, link }) {
  const save = (/** @type {string} */ kind, /** @type {() => Promise<Blob> | Blob} */ make) =>
    button(kind, async () => download(`attention.${kind.toLowerCase()}`, await make()));
  const picture = () => {
    const found = drawing();
    if (!found) throw new Error("no picture to export yet");
    return toSvg(found, background());
  };
  return [
    ...(link ? [button("Copy link", link)] : []),
    save("PNG", () => toPng(picture())),
    save("SVG", () => new Blob([picture()], { type: "image/svg+xml" })),
    save("JSON", () => new Blob([JSON.stringify(data(), null, 1)], { type: "application/json" })),
  ];
}
