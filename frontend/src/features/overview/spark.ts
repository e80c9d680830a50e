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
      const command = `${pen}${(i * step).toFixed(1)} ${(height - 2 - (value / max) * (height - 5)).toFixed(1)}`;
      pen = "L";
      return command;
    })
    .join("");
}

/** At most `count` values: the means of neighbours, without those that are missing. */
export function means(values: readonly number[], count: number): number[] {
  const size = Math.ceil(values.length / count);
  if (size <= 1) return [...values];
  return Array.from({ length: Math.ceil(values.length / size) }, (_, i) =>
    mean(values.slice(i * size, (i + 1) * size)),
  );
}

function mean(values: readonly number[]): number {
  const known = values.filter(Number.isFinite);
  return known.length === 0 ? Number.NaN : known.reduce((sum, value) => sum + value, 0) / known.length;
}
