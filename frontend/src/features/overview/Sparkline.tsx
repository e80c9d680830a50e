/** Requests per second of one model as a small line; where nothing was measured it has a hole. */
import { pathOf } from "./spark";

const width = 84;
const height = 18;

export const sparkPoints = 60;

export function Sparkline({ rates }: { readonly rates: readonly number[] }) {
  const idle = !rates.some((value) => value > 0);
  return (
    <svg
      width="100%"
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <path
        d={pathOf(rates, width, height)}
        fill="none"
        stroke={idle ? "var(--border-strong)" : "var(--accent)"}
        strokeWidth="1.4"
        strokeLinecap="round"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  );
}
