const air = 1.25; // above the highest point, so that an even line is not at the edge

/** The path of a small line; values that are missing leave a hole. */
export function pathOf(values: readonly number[], width: number, height: number): string {
  const at = placeIn(values, width, height);
  let pen = "M";
  return values
    .map((value, i) => {
      if (!Number.isFinite(value) || isAlone(values, i)) {
        pen = "M";
        return "";
      }
      const command = `${pen}${at(i)}`;
      pen = "L";
      return command;
    })
    .join("");
}

/** The path of the values beside which nothing was measured. A line needs two points; these are dots, for a thicker pen. */
export function dotsOf(values: readonly number[], width: number, height: number): string {
  const at = placeIn(values, width, height);
  return values.map((_, i) => (isAlone(values, i) ? `M${at(i)}h0` : "")).join("");
}

function placeIn(values: readonly number[], width: number, height: number): (i: number) => string {
  const max = Math.max(...values.filter(Number.isFinite), 0) * air || 1;
  const step = width / Math.max(values.length - 1, 1);
  return (i) => {
    const value = values[i] ?? 0;
    return `${(i * step).toFixed(1)} ${(height - 2 - (value / max) * (height - 5)).toFixed(1)}`;
  };
}

const isAlone = (values: readonly number[], i: number): boolean =>
  Number.isFinite(values[i]) && !Number.isFinite(values[i - 1]) && !Number.isFinite(values[i + 1]);
