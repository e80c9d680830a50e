/** Asks for layouts: small ones are made at once, large ones in a worker. The last ones are kept. */
import { layered, type Places } from "./layered";
import type { Plan } from "./layout";

const small = 60; // boxes and lines that take a millisecond or two
const most = 20; // layouts kept

const kept = new Map<string, Places>();
const waiting = new Map<number, (places: Places) => void>();
let worker: Worker | undefined;
let broken = false;
let asked = 0;

export function placesOf(plan: Plan): Places | Promise<Places> {
  const key = keyOf(plan);
  const known = kept.get(key);
  if (known) return known;
  if (plan.boxes.length + plan.lines.length <= small) return keep(key, layered(plan.boxes, plan.lines));
  return inWorker(plan).then((places) => keep(key, places));
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

/** Where the page has no worker, or the worker does not start, the layout is made here. */
function inWorker(plan: Plan): Promise<Places> {
  const helper = broken ? undefined : start();
  if (!helper) return Promise.resolve(layered(plan.boxes, plan.lines));
  const id = ++asked;
  return new Promise((resolve, reject) => {
    waiting.set(id, resolve);
    helper.addEventListener(
      "error",
      () => {
        broken = true;
        worker = undefined;
        if (!waiting.delete(id)) return;
        try {
          resolve(layered(plan.boxes, plan.lines));
        } catch (error) {
          reject(error);
        }
      },
      { once: true },
    );
    helper.postMessage({ id, plan });
  });
}

function start(): Worker | undefined {
  if (worker || typeof Worker === "undefined") return worker;
  worker = new Worker(new URL("./layout.worker.ts", import.meta.url), { type: "module" });
  worker.onmessage = ({ data }: MessageEvent<{ id: number; places: Places }>) => {
    waiting.get(data.id)?.(data.places);
    waiting.delete(data.id);
  };
  return worker;
}
