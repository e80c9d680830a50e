/** Requests per second of one model as a small line. */
import { useQuery } from "@tanstack/react-query";
import { clients } from "../../api/client";
import { spanOf, type View, viewKey } from "../../lib/range";
import { means, pathOf } from "./spark";

const width = 84;
const height = 18;
const points = 400; // the service rounds its steps up, and a coarse answer would be no line
const everyMs = 10_000;

export function Sparkline({ model, view }: { readonly model: string; readonly view: View }) {
  const { data } = useQuery({
    queryKey: ["spark", model, viewKey(view)],
    queryFn: ({ signal }) =>
      clients.metrics.query(
        { model, from: BigInt(Math.floor(spanOf(view, Date.now()).from)), to: 0n, maxPoints: points },
        { signal },
      ),
    refetchInterval: everyMs,
    staleTime: everyMs,
    retry: false,
  });
  const values = means(data?.requestsPerSecond ?? [], 60);
  const idle = values.every((value) => !(value > 0));
  return (
    <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      <path
        d={pathOf(values, width, height)}
        fill="none"
        stroke={idle ? "var(--border-strong)" : "var(--accent)"}
        strokeWidth="1.4"
      />
    </svg>
  );
}
