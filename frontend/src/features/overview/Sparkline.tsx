/** Requests per second of one model as a small line; where nothing was measured it has a hole. */
import { dotsOf, pathOf } from "./spark";

const width = 84;
const height = 18;

export const sparkPoints = 60;

export function Sparkline({ rates }: { readonly rates: readonly number[] }) {
  const idle = !rates.some((value) => value > 0);
  const stroke = idle ? "var(--border-strong)" : "var(--accent)";
  return (
    <svg
      width="100%"
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      overflow="visible"
      aria-hidden="true"
    >
      <Pen d={pathOf(rates, width, height)} stroke={stroke} strokeWidth="1.4" />
      <Pen d={dotsOf(rates, width, height)} stroke={stroke} strokeWidth="4" />
    </svg>
  );
}

/** Draws with a pen of the same width however the picture is stretched. */
const Pen = (pen: { readonly d: string; readonly stroke: string; readonly strokeWidth: string }) => (
  <path {...pen} fill="none" strokeLinecap="round" vectorEffect="non-scaling-stroke" />
);
