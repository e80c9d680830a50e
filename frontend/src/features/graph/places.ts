/** Asks for layouts: small ones are made at once, large ones in a worker. The last ones are kept. */
import { Helper } from "../../lib/helper";
import { layered, type Places } from "./layered";
import type { Plan } from "./layout";

const small = 60; // boxes and lines that take a millisecond or two
const most = 20; // layouts kept

const kept = new Map<string, Places>();
const worker = () => new Worker(new URL("./layout.worker.ts", import.meta.url), { type: "module" });
const helper = new Helper(worker, ({ boxes, lines }: Plan) => layered(boxes, lines));

export function placesOf(plan: Plan): Places | Promise<Places> {
  const key = keyOf(plan);
  const known = kept.get(key);
  if (known) return known;
  if (plan.boxes.length + plan.lines.length <= small) return keep(key, layered(plan.boxes, plan.lines));
  return helper.ask(plan).then((places) => keep(key, places));
}

/** Where boxes stood before does not count: a graph that was laid out once looks the same when it comes back. */
const keyOf = ({ boxes, lines }: Plan) =>
  JSON.stringify([
    boxes.map(({ before: _, ...box }) => Object.values(box)),
    lines.map((line) => Object.values(line)),
  ]);

function keep(key: string, places: Places): Places {
  kept.set(key, places);
  const [oldest] = kept.keys();
  if (kept.size > most && oldest !== undefined) kept.delete(oldest);
  return places;
}
