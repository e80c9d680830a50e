const air = 1.25; // above the highest point, so that an even line is not at the edge

/** The path of a small line; values that are missing leave a hole. */
export function pathOf(values: readonly number[], width: number, height: number): string {
  const max = Math.max(...values.filter(Number.isFinite), 0) * air || 1;
  const step = width / Math.max(values.length - 1, 1);
  let pen = "M";
  return values
    .map((value, i) => {
      if (!Number.isFinite(value)) {
        pen = "M";
        return "";
      }
      const dot = !Number.isFinite(values[i - 1]) && !Number.isFinite(values[i + 1]) ? "h0" : ""; // a line needs two points
      const command = `${pen}${(i * step).toFixed(1)} ${(height - 2 - (value / max) * (height - 5)).toFixed(1)}${dot}`;
      pen = "L";
      return command;
    })
    .join("");
}
