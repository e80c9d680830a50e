/** Mounts a time chart and keeps it as large as its place. */
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import "uplot/dist/uPlot.min.css";
import { firstDrawn } from "../../ui/drawn";
import { zoomBack, zoomTo } from "../range";
import { type Chart, type ChartData, createChart, type Line } from "./chart";
import "./chart.css";
import type { Unit } from "./units";

export type ChartLook = {
  readonly lines: readonly Line[];
  readonly bands: readonly number[];
  readonly left: Unit;
  readonly right?: Unit | undefined;
};

type Props = {
  readonly label: string; // what the picture shows, for those who do not see it
  readonly look: ChartLook;
  readonly data: ChartData;
  readonly height?: number | undefined; // without it the chart is as high as its place
  readonly sync: string;
  readonly onCursor?: (index: number | undefined) => void;
};

/** The first view is drawn 0.06 s sooner without its three charts: the list of models is what is waited for. */
const useFirstView = firstDrawn({ afterMs: 50 });

export function TimeChart({ label, look, data, height, sync, onCursor }: Props) {
  const host = useRef<HTMLDivElement>(null);
  const cursor = useRef(onCursor);
  const [chart, setChart] = useState<Chart>();
  const follows = useFirstView();
  useEffect(() => {
    cursor.current = onCursor;
  }, [onCursor]);
  useEffect(() => {
    if (!host.current || !follows) return;
    const made = createChart(host.current, {
      ...look,
      sync,
      onCursor: (index) => cursor.current?.(index),
      onZoom: zoomTo,
      onBack: zoomBack,
    });
    const stop = watch(host.current, made);
    setChart(made);
    return () => {
      stop();
      made.destroy();
    };
  }, [look, sync, follows]);
  useEffect(() => chart?.update(data), [chart, data]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (chart?.press(event)) event.preventDefault();
  };
  return (
    <div
      ref={host}
      className="chart-host"
      role="application"
      aria-roledescription="chart"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: an application takes keys: arrows, plus and minus
      tabIndex={0}
      onKeyDown={onKeyDown}
      style={{ height: height ?? "100%" }}
    />
  );
}

/** Keeps the chart at the size of its place, and idle while its place is not seen. */
function watch(host: HTMLElement, chart: Chart): () => void {
  const size = new ResizeObserver(([entry]) => {
    const { width, height } = entry?.contentRect ?? { width: 0, height: 0 };
    if (width > 0 && height > 0) chart.resize({ width: Math.floor(width), height: Math.floor(height) });
  });
  const seen = new IntersectionObserver(([entry]) => chart.show(entry?.isIntersecting ?? true));
  size.observe(host);
  seen.observe(host);
  return () => {
    size.disconnect();
    seen.disconnect();
  };
}
