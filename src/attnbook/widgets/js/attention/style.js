// Styles of the attention view.
import { SLANT } from "./heatmap.js";

export const STYLE = `
.attention { max-width: none; overflow: hidden; --halo: var(--paper); }
:host(:fullscreen) { overflow: auto; background: Canvas; }
.attention figure { margin: 0; }
.progress-text { margin-left: auto; color: var(--muted); font-size: 12.5px; font-variant-numeric: tabular-nums; }
.running { flex: 0 1 140px; display: flex; }
progress { width: 100%; height: 6px; accent-color: var(--weight); }
.hint { color: var(--muted); padding: 24px 0; text-align: center; }
.pickers { display: flex; flex-wrap: wrap; gap: 4px 12px; align-items: end; }
.pickers .field select { width: 100%; max-width: 190px; }
@container (min-width: 620px) { .figure > div > .pickers { flex-wrap: nowrap; } .pickers .field { flex: none; } .pickers .field:has([data-control=sentence]) { flex: 0 1 190px; } .figure > div > .pickers .views button { padding: 2px 8px; white-space: nowrap; } }
.views { display: inline-flex; }
.views button { border-radius: 0; margin-left: -1px; }
.views button:first-child { border-radius: 6px 0 0 6px; }
.views button:last-child { border-radius: 0 6px 6px 0; }
.views button[aria-pressed=true] { background: var(--weight); border-color: var(--weight); color: var(--paper); }
.tools { display: flex; flex-wrap: wrap; gap: 0 12px; align-items: center; }
.tools .transport { flex: 1 1 0; }
.more[open] { flex: 1 0 100%; }
.more summary { cursor: pointer; color: var(--muted); font-size: 13px; padding: 4px 0; width: fit-content; }
.more .controls { grid-template-columns: repeat(auto-fill, minmax(8.5rem, 1fr)); margin: 4px 0; align-items: start; }
.more .check { align-self: end; }
.transport { display: flex; flex-wrap: wrap; align-items: center; gap: 4px; margin: 2px 0 4px; }
.transport button { padding: 2px 7px; }
.transport input { flex: 1 1 60px; min-width: 60px; margin: 0 6px; }
.transport svg { width: 14px; height: 14px; fill: currentColor; display: block; }
.step { font-weight: 600; font-variant-numeric: tabular-nums; text-align: right; }
.speed { margin: 0; color: var(--muted); font-size: 12.5px; }
.speed:empty { display: none; }
.attention .said { margin: 0 0 4px; min-height: 1.45em; }
.attention .said > [aria-hidden] { padding-right: 1em; }
.main { display: flex; gap: 8px 20px; align-items: start; }
.stacked .fold { max-width: none; }
.main.stacked { display: grid; grid-template-columns: minmax(0, 1fr); }
.stage { flex: 0 1 auto; display: flex; flex-wrap: wrap; gap: 12px 20px; min-width: 0; }
.stage.full { flex-grow: 1; }
.fold { flex: 1 1 0; min-width: 236px; max-width: 480px; }
.fold > summary { display: none; }
.side { display: grid; grid-template-columns: minmax(0, 1fr); gap: 8px; }
.stage.full + .fold { flex: 0 0 236px; }
.stage > * { box-sizing: border-box; min-width: 0; max-width: 100%; min-height: var(--tall); }
.stage > :not(.heatmap) { max-height: var(--tall); overflow: auto; }
.caption { font-size: 12.5px; font-weight: 600; color: var(--muted); margin-bottom: 2px; }
.caption:empty { display: none; }
.axes { display: flex; gap: 8px; font-size: 12px; font-weight: 600; white-space: nowrap; }
.axes .query { color: var(--query); text-align: right; }
.axes .key { color: var(--key); }
.scroller { display: grid; overflow: auto; max-height: var(--most); max-width: 100%; justify-content: start; overscroll-behavior: auto; }
figure.scroller { display: block; }
.corner { position: sticky; left: 0; top: 0; z-index: 3; background: var(--paper); }
.columns { position: sticky; top: 0; z-index: 2; background: var(--paper); }
.rows { position: sticky; left: 0; z-index: 1; background: var(--paper); }
.token { white-space: nowrap; cursor: pointer; }
.columns .token, .rows .token { position: absolute; line-height: 1; }
.rows .token { right: 0; left: 0; display: flex; align-items: center; justify-content: flex-end; padding-right: 7px; }
.rows bdi { overflow: hidden; text-overflow: ellipsis; line-height: 1.3; }
.columns .token { bottom: 3px; transform-origin: 0 100%; transform: rotate(-${SLANT}rad); padding-left: 3px; }
.columns bdi { display: inline-block; max-width: 112px; overflow: hidden; text-overflow: ellipsis; line-height: 1.3; vertical-align: bottom; }
.columns.flat .token { transform: none; text-align: center; padding: 0 0 2px; }
.token.thin { visibility: hidden; }
.token.thin:is(.lit, .pinned) { visibility: visible; z-index: 1; background: var(--paper); }
.token:hover bdi { text-decoration: underline; text-underline-offset: 3px; }
.token.lit bdi, .token.pinned bdi { color: var(--weight); -webkit-text-stroke: 0.4px; }
.token.pinned bdi { text-decoration: underline; text-underline-offset: 3px; }
.cells { position: relative; background: var(--edge); cursor: crosshair; }
.cells:focus-visible, .table:focus-visible, figure:focus-visible { outline-offset: -2px; }
.cells canvas { position: absolute; inset: 0; width: 100%; height: 100%; image-rendering: pixelated; }
.cells::after { content: ""; position: absolute; inset: 0; pointer-events: none; background:
  repeating-linear-gradient(90deg, transparent 0 calc(var(--cell) - 1px), var(--paper) calc(var(--cell) - 1px) var(--cell)),
  repeating-linear-gradient(transparent 0 calc(var(--cell) - 1px), var(--paper) calc(var(--cell) - 1px) var(--cell)); }
.attention .marks { position: absolute; inset: 0; width: 100%; height: 100%; z-index: 1; pointer-events: none; }
.cells [role=row] { position: absolute; opacity: 0; pointer-events: none; }
.marks rect { fill: none; }
.marks .veil { fill: var(--paper); fill-opacity: 0.86; }
.gold-halo, .here-halo { stroke: var(--halo); stroke-width: 4; }
.marks .gold { stroke: var(--query); stroke-width: 2; }
.marks .here { stroke: var(--ink); stroke-width: 2; }
.figure svg.lines { width: auto; max-width: 100%; }
.figure svg text[font-weight="700"] { font-weight: 700; }
.lines .token:hover { text-decoration: underline; }
.running-text { width: 100%; line-height: 2; font-size: 16px; }
.running-text .side-name { font-size: 12px; font-weight: 600; line-height: 1; color: var(--query); }
.running-text p + .side-name { color: var(--key); }
.running-text p { margin: 4px 0 10px; overflow-wrap: anywhere; }
.word { min-width: 24px; min-height: 28px; padding: 0 4px; font-size: inherit; line-height: 1.5; background: none; border: 0; border-radius: 4px; }
.word.own { box-shadow: inset 0 0 0 2px var(--query); }
.word[aria-pressed=true] { text-decoration: underline; text-underline-offset: 4px; }
.tiles { width: 100%; display: grid; align-content: start; gap: 6px; padding: 2px; }
.tiles .row { display: grid; grid-template-columns: repeat(auto-fill, minmax(96px, 1fr)); gap: 8px; }
.tile { display: flex; flex-direction: column; gap: 4px; padding: 6px; text-align: left; font-size: 11.5px; color: var(--muted); }
.tile > div { position: relative; width: 100%; }
.tile canvas { width: 100%; image-rendering: pixelated; border-radius: 2px; display: block; max-height: 180px; }
.tile .gold { stroke-width: 1.5; }
.tile .gold-halo { stroke-width: 3; }
.overview { width: 100%; display: grid; align-content: start; gap: 2px; padding: 2px; }
.overview button { display: grid; grid-template-columns: 8em minmax(0, 1fr) 3em; gap: 8px; align-items: center; text-align: left; font-size: 12.5px; }
.strip { position: relative; height: 16px; }
.strip canvas { width: 100%; height: 100%; image-rendering: pixelated; display: block; }
.now { position: absolute; top: -2px; bottom: -2px; left: var(--now); border-left: 2px solid var(--ink); }
.figure svg.curves { width: 100%; touch-action: pan-y; cursor: ew-resize; }
.curves .grid { stroke: var(--edge); stroke-width: 1; }
.figure svg text.tick { fill: var(--muted); font-size: 11px; font-variant-numeric: tabular-nums; }
.curve { fill: none; stroke-width: 1.8; stroke-linejoin: round; }
.curve.scalar, .dot.scalar { stroke: var(--weight); }
.curve.error, .dot.error { stroke: var(--query); }
.curve.entropy, .dot.entropy { stroke: var(--value); }
.dot { fill: var(--paper); stroke-width: 2; }
.figure svg text.name { font-size: 12px; font-weight: 600; font-variant-numeric: tabular-nums; }
.figure svg text.name.scalar { fill: var(--weight); }
.figure svg text.name.error { fill: var(--query); }
.figure svg text.name.entropy { fill: var(--value); }
.playhead { stroke: var(--ink); stroke-width: 1; stroke-opacity: 0.55; }
.figure svg text.over { fill: var(--muted); font-size: 11px; }
.curves .ticks { stroke: var(--muted); stroke-opacity: 0.6; }
.details { box-sizing: border-box; background: var(--fill); border-radius: 8px; padding: 6px 12px; font-size: 13px; line-height: 20px;
  height: calc(20px * (var(--bars) + 1) + 14px); overflow: hidden; }
.details.next { --bars: 5; }
@container (min-width: 620px) { .main:not(.stacked) .side:has(.next:not([hidden])) { grid-template-columns: 1fr 1fr; }
  .side:has(.next:not([hidden])) .curves { grid-column: 1 / -1; } .side:has(.next:not([hidden])) .details { padding: 6px 8px; container: half / inline-size; } }
@container half (min-width: 0) { .details .bar { grid-template-columns: minmax(0, 52px) 1fr 34px; } .details .golden { display: none; } }
@container half (max-width: 140px) { .details .bar { grid-template-columns: minmax(0, 1fr) 34px; } .details .track { display: none; } } /* bars would be too short to compare */
.details p { margin: 0 0 2px; color: var(--muted); white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.subject { color: var(--ink); font-weight: 650; }
.bar { display: grid; grid-template-columns: minmax(0, 76px) 1fr 40px 10px; gap: 6px; align-items: center; }
.bar bdi { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; text-align: right; }
.track { height: 8px; background: var(--edge); border-radius: 4px; overflow: hidden; }
.fill { display: block; height: 100%; background: var(--weight); }
.fill.less { background: var(--query); }
.weight { text-align: right; font-variant-numeric: tabular-nums; }
.golden { color: var(--query); font-size: 11px; }
.details:has(.over-picture) { height: auto; }
.over-picture { position: relative; max-width: 160px; }
.over-picture img, .over-picture canvas { display: block; width: 100%; image-rendering: pixelated; }
.over-picture canvas { position: absolute; inset: 0; height: 100%; }
.patch { position: absolute; box-sizing: border-box; border: 2px solid var(--query); }
.foot { display: flex; flex-wrap: wrap; gap: 4px 18px; align-items: center; margin-top: 4px; }
.figure .legend { width: 168px; }
.legend .frame { fill: none; stroke: var(--edge); }
table { border-collapse: collapse; font-size: 12.5px; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--muted); padding-bottom: 4px; }
th, td { padding: 2px 8px; border-bottom: 1px solid var(--edge); text-align: right; font-weight: 400; }
thead th { font-weight: 600; }
tbody th { font-weight: 600; position: sticky; left: 0; background: var(--paper); }
@container (min-width: 880px) { .views { margin-left: auto; } }
@container (min-width: 620px) and (max-width: 1000px) { .attention .tip { min-height: 2.9em; } }
@container (max-width: 619px) {
  header { flex-wrap: wrap; }
  .title { flex: 1; }
  .progress-text:not(:empty) { order: 1; flex-basis: 100%; }
  .tools { gap: 0 6px; }
  .transport button { padding: 2px 5px; }
  .transport { gap: 2px; }
  .transport input { margin: 0 2px; flex-basis: 40px; min-width: 40px; }
  .foot { gap: 4px 8px; }
  .attention .tip { min-height: 4.35em; }
  .pickers .field { flex: 1 1 40%; }
  .views button { padding: 2px 7px; }
  .pickers .field select { width: 100%; max-width: none; }
  .fold > summary { display: list-item; cursor: pointer; color: var(--muted); font-size: 13px; padding: 4px 0; width: fit-content; }
  .step { margin-left: auto; }
  .side { min-width: 0; }
}
@media (prefers-reduced-motion: no-preference) { .fill { transition: width 0.12s; } }
@media (forced-colors: active) { .attention .cells .marks { background: none; } .cells, .track, .tile canvas, .word[style] { forced-color-adjust: none; } }
`;
