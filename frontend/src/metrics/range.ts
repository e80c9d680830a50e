/** The span of time that every chart shows; one for the whole window, so that screens can be compared. */
import { create } from "zustand";
import type { RangeId } from "../lib/range";

export const useRange = create<{ readonly range: RangeId }>(() => ({ range: "15m" }));

export function setRange(range: RangeId): void {
  useRange.setState({ range });
}
