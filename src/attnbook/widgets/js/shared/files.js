// What a reader takes along, as files.
import { element } from "./dom.js";

/** @param {string} name @param {Blob} content */
export function download(name, content) {
  const link = element("a", { href: URL.createObjectURL(content), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/** A PNG of twice the size. @param {string} text of an SVG @returns {Promise<Blob>} */
export async function toPng(text) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`; // the pages' policy allows no blob here
  await image.decode();
  const canvas = element("canvas", { width: Math.ceil(2 * image.width), height: Math.ceil(2 * image.height) });
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the picture could not be drawn"))));
  });
}
