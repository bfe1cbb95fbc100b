// Where an axis has its labels.

/** Round axis ticks around all values. @param {number} low @param {number} high */
export function ticks(low, high) {
  const span = high - low || Math.abs(high) || 1;
  const power = 10 ** Math.floor(Math.log10(span));
  const distance = [1, 2, 5, 10].map((factor) => (factor * power) / 2).find((d) => span / d <= 4) ?? power;
  const first = Math.floor(low / distance);
  const last = Math.max(Math.ceil(high / distance), first + 1);
  return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * distance).toPrecision(6)));
}
