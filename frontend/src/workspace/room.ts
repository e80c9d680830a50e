/** Where a model would find room, before it is loaded. */
import type { Engine, GetModelResponse, Gpu, GpuInstance } from "../api/conch_pb";
import { memory } from "../lib/format";

const left = ({ totalBytes, usedBytes }: Gpu | GpuInstance): number | undefined =>
  totalBytes > 0 && usedBytes >= 0 ? Math.max(totalBytes - usedBytes, 0) : undefined;

/** What a program finds free on a GPU, of a divided one on its emptiest instance; undefined where its driver does not tell. */
export function freeOf(gpu: Gpu): number | undefined {
  if (!gpu.divided) return left(gpu);
  const known = gpu.instances.map(left).filter((free) => free !== undefined);
  return known.length > 0 ? Math.max(...known) : undefined;
}

interface Place {
  readonly name: string;
  readonly free: number | undefined;
}

type Free = Pick<Engine, "gpus" | "freeBytes"> | undefined;
type Asks = Pick<GetModelResponse, "asksFor" | "gpusOnly">;

/** The GPUs that a model would run on, as the engine places it: those that it asks for, or else the first. */
function gpusFor(gpus: readonly Place[], asksFor: readonly string[]): readonly Place[] {
  if (asksFor.length === 0 || asksFor.includes("GPU")) return gpus;
  const asked = gpus.filter(({ name }) => asksFor.includes(name));
  return asked.length > 0 || asksFor.every((name) => name === "CPU") ? asked : gpus.slice(0, 1);
}

/** The devices that a model would run on: the GPUs, where its backend can use them, then the processor with what the engine may still use of the machine's memory. */
function placesFor(engine: Free, { asksFor, gpusOnly }: Asks, onGpus: boolean): readonly Place[] {
  const there = (onGpus && engine?.gpus) || [];
  const gpus = gpusFor(
    there.map((gpu) => ({ name: `GPU ${gpu.index}`, free: freeOf(gpu) })),
    asksFor,
  );
  const processor = !gpusOnly && (gpus.length === 0 || asksFor.length === 0 || asksFor.includes("CPU"));
  const free = engine && engine.freeBytes > 0n ? Number(engine.freeBytes) : undefined;
  return processor ? [...gpus, { name: "processor", free }] : gpus;
}

export interface Room {
  /** The bytes of its newest version's files: the least that it needs. */
  readonly needs: number;
  /** The devices that have as much; none where no device has, undefined where nothing is known. */
  readonly on: readonly string[] | undefined;
  readonly text: string;
}

/** `onGpus` reports whether the model's backend can use GPUs here; undefined where that is not known. */
export function roomFor(
  { summary, files, ...asks }: Pick<GetModelResponse, "summary" | "files"> & Asks,
  engine: Free,
  onGpus: boolean | undefined,
): Room {
  const newest = summary?.versions.at(-1)?.number ?? 1n;
  const needs = files
    .filter(({ path }) => path.startsWith(`${newest}/`))
    .reduce((sum, { size }) => sum + Number(size), 0);
  if (engine === undefined || onGpus === undefined) return { needs, on: undefined, text: "" };
  const all = placesFor(engine, asks, onGpus);
  if (all.length === 0) return { needs, on: [], text: "no GPU here can run it" };
  const places = all.filter((place): place is Place & { readonly free: number } => place.free !== undefined);
  if (places.length === 0) return { needs, on: undefined, text: "" };
  const on = places.filter(({ free }) => free > needs).map(({ name }) => name);
  if (on.length > 0) return { needs, on, text: `room on ${listed(on)}` };
  const full = places.map(({ name, free }) => `${name} has ${memory(free)} free`);
  return { needs, on, text: `no room for it now: ${listed(full)}` };
}

const mostNamed = 4;

/** A list that stays short on a machine with many GPUs. */
const listed = (names: readonly string[]): string =>
  names.length <= mostNamed
    ? names.join(", ")
    : `${names.slice(0, mostNamed - 1).join(", ")} and ${names.length - mostNamed + 1} more`;
