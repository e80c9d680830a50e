/** What the charts of a page show. Escape shows what was shown before the last zoom. */

import type { View } from "../lib/range";
import { useEscape } from "../ui/useEscape";
import { useRange, zoomBack } from "./range";

export function useView(): View {
  useEscape(zoomBack);
  return useRange((state) => state.view);
}
