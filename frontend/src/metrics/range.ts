/** The span of time that every chart shows; one for the whole window, so that screens can be compared. */
import { create } from "zustand";
import type { RangeId, Span, View } from "../lib/range";

type Views = {
  readonly view: View;
  readonly zooms: readonly Span[]; // each in the one before; the last is shown
};

export const useRange = create<Views>(() => ({ view: { range: "15m" }, zooms: [] }));

const leastSpanMs = 5000; // of fewer seconds there is nothing to see

/** Shows a range that ends now. */
export function setRange(range: RangeId): void {
  useRange.setState({ view: { range }, zooms: [] });
}

/** Shows a part of what is shown now. */
export function zoomTo({ from, to }: Span): void {
  if (to - from < leastSpanMs) return;
  const zooms = [...useRange.getState().zooms, { from: Math.floor(from), to: Math.ceil(to) }];
  show(zooms);
}

/** Shows what was shown before the last zoom. Reports whether there was one. */
export function zoomBack(): boolean {
  const { zooms } = useRange.getState();
  if (zooms.length > 0) show(zooms.slice(0, -1));
  return zooms.length > 0;
}

function show(zooms: readonly Span[]): void {
  const { range } = useRange.getState().view;
  useRange.setState({ zooms, view: { range, zoom: zooms.at(-1) } });
}
