// Dragging on a picture, by mouse, pen and touch.

/** @typedef {{ x: number, y: number, target: EventTarget | null }} Place in the picture's own units */

/**
 * Where on an SVG a pointer is.
 *
 * @param {SVGSVGElement} picture
 * @param {PointerEvent} event
 * @returns {Place}
 */
function place(picture, event) {
  const box = picture.getBoundingClientRect();
  const { width, height } = picture.viewBox.baseVal;
  const x = ((event.clientX - box.left) / box.width) * width;
  return { x, y: ((event.clientY - box.top) / box.height) * height, target: event.target };
}

/**
 * Handlers of presses on a picture, and of the pointer's way until it is let go.
 *
 * @param {SVGSVGElement} picture
 * @param {(pressed: Place) => ((moved: Place) => void) | null} take what is to hear of the way; null where nothing drags
 */
export function drag(picture, take) {
  /** @type {((moved: Place) => void) | null} */
  let taken = null;
  picture.addEventListener("pointerdown", (event) => {
    if (!event.isPrimary || event.button !== 0) return; // a second finger, or a menu that is opened
    const pressed = place(picture, event);
    taken = take(pressed);
    if (!taken) return;
    picture.setPointerCapture(event.pointerId);
    taken(pressed);
  });
  const holds = (/** @type {Event} */ event) => {
    const { touchAction } = getComputedStyle(/** @type {Element} */ (event.target));
    if (taken && touchAction === "none") event.preventDefault(); // Chromium asks the whole picture alone for its touch-action
  };
  picture.addEventListener("touchstart", holds, { passive: false });
  picture.addEventListener("pointermove", (event) => event.isPrimary && taken?.(place(picture, event)));
  for (const end of ["pointerup", "pointercancel"])
    picture.addEventListener(end, () => {
      taken = null;
    });
}
