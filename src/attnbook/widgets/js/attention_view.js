// AttentionView: heatmaps between tokens over the steps of training.
//
// All interaction is in the browser, so it works while the kernel is busy and without a kernel.

import { shades } from "./attention/color_scale.js";
import { decode } from "./attention/frames.js";
import { AttentionView } from "./attention/view.js";
import { write } from "./shared/dom.js";

/** @param {{ model: import("@anywidget/types").AnyModel, el: HTMLElement }} place */
function render(place) {
  const { model } = place;
  const view = new AttentionView(place);

  async function load() {
    const bytes = model.get("data");
    if (!bytes?.byteLength) return;
    try {
      const log = await decode(bytes);
      if (bytes === model.get("data")) view.take(log); // otherwise newer data has arrived
    } catch (error) {
      write(view.layout.hint, `Cannot read the saved attention weights: ${/** @type {Error} */ (error).message}`);
    }
  }

  /** @param {{ type?: string } & import("./attention/frames.js").LiveMessage} message @param {DataView[]} buffers */
  function hear(message, buffers) {
    if (message?.type === "live") view.hear(message, buffers);
  }

  const named = () => view.later();
  model.on("change:data", load);
  model.on("change:words", named);
  model.on("msg:custom", hear);
  const sizes = new ResizeObserver(() => view.later());
  sizes.observe(view.card.root);
  const end = view.card.start(
    (theme) => {
      view.theme = theme;
      view.later();
    },
    () => view.forget(),
  );
  const leave = view.address.follow((values) => view.arrive(values));
  load();

  return () => {
    view.player.pause();
    cancelAnimationFrame(view.waiting);
    sizes.disconnect();
    model.off("change:data", load);
    model.off("change:words", named);
    model.off("msg:custom", hear);
    leave();
    end();
  };
}

export { decode, shades };
export default { render };
