// Downloads.
import { element } from "./dom.js";

/** @param {string} name @param {Blob} content */
export function download(name, content) {
  const link = element("a", { href: URL.createObjectURL(content), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/** The source of an SVG. Characters that XML does not allow become U+FFFD. @param {SVGSVGElement} picture */
export const svgText = (picture) =>
  new XMLSerializer()
    .serializeToString(picture)
    .replace(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "\ufffd");

/** Renders an SVG as a PNG at twice its size. @param {string} text SVG source @returns {Promise<Blob>} */
export async function toPng(text) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`; // the pages' content security policy forbids blob URLs here
  await image.decode();
  const canvas = element("canvas", { width: Math.ceil(2 * image.width), height: Math.ceil(2 * image.height) });
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("cannot render the picture"))));
  });
}
