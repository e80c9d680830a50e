/** Mounts a time chart and keeps it as wide as its place. */
import { useEffect, useRef, useState } from "react";
import "uplot/dist/uPlot.min.css";
import { type Chart, type ChartData, createChart, type Line } from "./chart";
import "./chart.css";

type Props = {
  readonly label: string; // what the picture shows, for those who do not see it
  readonly lines: readonly Line[];
  readonly data: ChartData;
  readonly format: (value: number) => string;
  readonly height?: number;
  readonly sync: string;
  readonly onCursor?: (index: number | undefined) => void;
};

export function TimeChart({ label, lines, data, format, height = 150, sync, onCursor }: Props) {
  const host = useRef<HTMLDivElement>(null);
  const cursor = useRef(onCursor);
  const [chart, setChart] = useState<Chart>();
  useEffect(() => {
    cursor.current = onCursor;
  }, [onCursor]);
  useEffect(() => {
    if (!host.current) return;
    const made = createChart(host.current, {
      lines,
      format,
      height,
      sync,
      onCursor: (index) => cursor.current?.(index),
    });
    const size = new ResizeObserver(([entry]) => entry && made.resize(Math.floor(entry.contentRect.width)));
    size.observe(host.current);
    setChart(made);
    return () => {
      size.disconnect();
      made.destroy();
    };
  }, [lines, format, height, sync]);
  useEffect(() => chart?.update(data), [chart, data]);
  return <div ref={host} role="img" aria-label={label} style={{ height, overflow: "hidden" }} />;
}
