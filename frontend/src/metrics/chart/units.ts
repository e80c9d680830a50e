/** Labels of value axes: each has its unit, and all of one axis have the same. */

/** Makes the labels of an axis that reaches up to `max`. */
export type Unit = (max: number) => (value: number) => string;

const short = (value: number) => String(Number(value.toPrecision(3)));

const labels = (unit: string, scale = 1) => {
  return (value: number) => (value === 0 ? "0" : `${short(value / scale)}${unit}`);
};

export const perSecond: Unit = (max) => {
  if (max >= 1e6) return labels("M/s", 1e6);
  return max >= 10_000 ? labels("k/s", 1000) : labels("/s");
};

export const milliseconds: Unit = (max) => {
  if (max >= 120_000) return labels(" min", 60_000);
  return max >= 3000 ? labels(" s", 1000) : labels(" ms");
};

export const percent: Unit = () => labels(" %");

export const celsius: Unit = () => labels(" °C");

export const watts: Unit = (max) => (max >= 10_000 ? labels(" kW", 1000) : labels(" W"));

export const plain: Unit = (max) => (max >= 10_000 ? labels("k", 1000) : labels(""));

export const bytes: Unit = (max) => {
  const sizes = ["B", "KB", "MB", "GB", "TB"];
  const at = Math.min(Math.max(Math.floor(Math.log10(Math.max(max, 1)) / 3), 0), sizes.length - 1);
  return labels(` ${sizes[at]}`, 1000 ** at);
};
