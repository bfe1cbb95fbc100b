// Dragging on an SVG picture by mouse, pen and touch.

/** @typedef {{ x: number, y: number, target: EventTarget | null }} Place in viewBox units */

/**
 * The position of a pointer in an SVG.
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
 * Listens for drags on a picture.
 *
 * @param {SVGSVGElement} picture
 * @param {(pressed: Place) => ((moved: Place) => void) | null} take returns the handler of the drag's moves, or null if nothing can be dragged here
 */
export function drag(picture, take) {
  /** @type {((moved: Place) => void) | null} */
  let taken = null;
  picture.addEventListener("pointerdown", (event) => {
    if (!event.isPrimary || event.button !== 0) return; // a second finger or a context menu
    const pressed = place(picture, event);
    taken = take(pressed);
    if (!taken) return;
    picture.setPointerCapture(event.pointerId);
    taken(pressed);
  });
  const holds = (/** @type {Event} */ event) => {
    const { touchAction } = getComputedStyle(/** @type {Element} */ (event.target));
    if (taken && touchAction === "none") event.preventDefault(); // Chromium only honors touch-action on the outer svg element
  };
  picture.addEventListener("touchstart", holds, { passive: false });
  picture.addEventListener("pointermove", (event) => event.isPrimary && taken?.(place(picture, event)));
  for (const end of /** @type {const} */ (["pointerup", "pointercancel"]))
    picture.addEventListener(end, (event) => {
      if (event.isPrimary) taken = null;
    });
}
