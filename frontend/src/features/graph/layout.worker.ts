/** Lays graphs out where it does not hold up the page. */
import { layered } from "./layered";
import type { Plan } from "./layout";

self.onmessage = ({ data }: MessageEvent<{ id: number; plan: Plan }>) => {
  self.postMessage({ id: data.id, places: layered(data.plan.boxes, data.plan.lines) });
};
