/** Where a model would find room, before it is loaded. */
import type { Engine, GetModelResponse, Gpu } from "../api/conch_pb";
import { bytes } from "../lib/format";

/** What is free on a GPU; undefined where its driver does not tell. */
export const freeOf = ({ totalBytes, usedBytes }: Gpu): number | undefined =>
  totalBytes > 0 && usedBytes >= 0 ? Math.max(totalBytes - usedBytes, 0) : undefined;

interface Place {
  readonly name: string;
  readonly free: number;
}

/** Devices whose free memory is known: the GPUs, then the processor with what the engine may still use of the machine's memory. */
function placesOf(engine: Pick<Engine, "gpus" | "freeBytes"> | undefined): Place[] {
  const gpus = (engine?.gpus ?? []).map((gpu) => ({ name: `GPU ${gpu.index}`, free: freeOf(gpu) }));
  const processor = engine && engine.freeBytes > 0n ? Number(engine.freeBytes) : undefined;
  return [...gpus, { name: "processor", free: processor }].filter(
    (place): place is Place => place.free !== undefined,
  );
}

/** Those that a model's instance groups ask for; all where they ask for nothing, or for what is not there. */
function askedFor(places: readonly Place[], asksFor: readonly string[]): readonly Place[] {
  const asked = places.filter(({ name }) =>
    name === "processor" ? asksFor.includes("CPU") : asksFor.includes(name) || asksFor.includes("GPU"),
  );
  return asked.length > 0 ? asked : places;
}

export interface Room {
  /** The bytes of its newest version's files: the least that it needs. */
  readonly needs: number;
  /** The devices that have as much; none where no device has, undefined where nothing is known. */
  readonly on: readonly string[] | undefined;
  readonly text: string;
}

export function roomFor(
  { summary, files, asksFor }: Pick<GetModelResponse, "summary" | "files" | "asksFor">,
  engine: Pick<Engine, "gpus" | "freeBytes"> | undefined,
): Room {
  const newest = summary?.versions.at(-1)?.number ?? 1n;
  const needs = files
    .filter(({ path }) => path.startsWith(`${newest}/`))
    .reduce((sum, { size }) => sum + Number(size), 0);
  const places = askedFor(placesOf(engine), asksFor);
  if (places.length === 0) return { needs, on: undefined, text: "" };
  const on = places.filter(({ free }) => free > needs).map(({ name }) => name);
  if (on.length > 0) return { needs, on, text: `room on ${listed(on)}` };
  const full = places.map(({ name, free }) => `${name} has ${bytes(free)} free`);
  return { needs, on, text: `no room for it now: ${listed(full)}` };
}

const mostNamed = 4;

/** A list that stays short on a machine with many GPUs. */
const listed = (names: readonly string[]): string =>
  names.length <= mostNamed
    ? names.join(", ")
    : `${names.slice(0, mostNamed - 1).join(", ")} and ${names.length - mostNamed + 1} more`;
