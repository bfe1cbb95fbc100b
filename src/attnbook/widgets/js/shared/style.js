// Styles shared by all cards.

export const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Noto Sans CJK SC', sans-serif";

export const STYLE = `
:host { display: block; }
.card { --touch: 0px; --edge: color-mix(in srgb, var(--line) 45%, var(--paper)); box-sizing: border-box; max-width: 46rem; margin: 0 auto; padding: 10px 14px 12px; color: var(--ink); background: var(--paper);
  border: 1px solid var(--edge); border-radius: 10px; font: 14px/1.45 ${FONT}; text-align: left; container-type: inline-size; }
.card [hidden] { display: none; }
header { display: flex; align-items: center; justify-content: space-between; gap: 12px; margin-bottom: 6px; }
.title { font-weight: 650; }
.figure svg { display: block; width: 100%; height: auto; user-select: none; -webkit-user-select: none; }
.figure svg text { fill: var(--ink); font: var(--label, 13px) ${FONT}; }
.controls { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(8rem, 50% - 8px), 1fr)); gap: 4px 16px; margin: 6px 0; }
.controls > :not(.field, fieldset) { align-self: end; }
.controls:empty { display: none; }
.field { display: flex; flex-direction: column; justify-content: space-between; gap: 1px; min-width: 0; font-size: 13px; color: var(--muted); }
.words { display: flex; justify-content: space-between; gap: 8px; white-space: nowrap; }
.words > *, .field > .words { overflow: hidden; text-overflow: ellipsis; }
.words > :first-child { flex: 1 1 auto; }
.words > .value { flex: none; }
.value { color: var(--ink); font-weight: 600; font-variant-numeric: tabular-nums; }
.check { display: inline-flex; align-items: center; gap: 7px; min-height: max(32px, var(--touch)); font-size: 13px; cursor: pointer; }
.check span { overflow-wrap: anywhere; }
.check input { width: 18px; height: 18px; margin: 0; flex: none; accent-color: var(--weight); }
input[type=range] { width: 100%; height: 28px; margin: 0; accent-color: var(--weight); cursor: pointer; }
button, select { font: inherit; font-size: 13px; min-height: max(32px, var(--touch)); padding: 2px 10px; color: var(--ink); background: var(--fill);
  border: 1px solid var(--edge); border-radius: 6px; cursor: pointer; }
select { width: 100%; box-sizing: border-box; text-overflow: ellipsis; }
.primary { font-weight: 650; color: var(--paper); background: var(--weight); border-color: var(--weight); }
.primary:hover:not([aria-disabled]) { filter: brightness(1.12); }
button:hover:not([aria-disabled]), select:hover { border-color: var(--muted); }
button[aria-disabled], select:disabled, input:disabled { opacity: 0.5; cursor: default; }
:focus-visible { outline: 2px solid var(--weight); outline-offset: 2px; }
.said { display: grid; grid-template-columns: minmax(0, 1fr); overflow-wrap: anywhere; margin-top: 6px; font-variant-numeric: tabular-nums; }
.said > * { grid-area: 1 / 1; }
.said > [aria-hidden] { visibility: hidden; padding-right: 4em; }
@container (min-width: 620px) { .card:is(.kernel, .position, .rotary, .scene, .vectors, .window) .figure svg[data-wide] { max-width: 29.5rem; margin: 0 auto; } }
p { margin: 6px 0 0; }
@media (forced-colors: active) {
  .figure svg:not(button svg) { forced-color-adjust: none; background: var(--paper); }
  .card [aria-pressed=true], .card [aria-selected=true] { forced-color-adjust: none; background: Highlight; color: HighlightText; }
}
.tip, .legend { color: var(--muted); font-size: 13px; }
@media (pointer: coarse) {
  .card { --touch: 44px; } /* the least height of a control */
  input[type=range] { height: 34px; }
  .figure details > summary { padding: 13px 0; }
}
`;
