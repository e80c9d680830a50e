/** Where a model would find room, before it is loaded. */
import type { Engine, FindDevicesResponse, GetModelResponse, Gpu, GpuInstance } from "../api/conch_pb";
import { bytes } from "../lib/format";

const left = ({ totalBytes, usedBytes }: Gpu | GpuInstance): number | undefined =>
  totalBytes > 0 && usedBytes >= 0 ? Math.max(totalBytes - usedBytes, 0) : undefined;

interface Place {
  readonly name: string;
  /** Bytes; undefined where they are not known. */
  readonly free: number | undefined;
}

type Free = Pick<Engine, "gpus" | "freeBytes">;

/** A device by the name that models have for it: the processor with what the engine may still use of the machine's memory, or a GPU or an instance of a divided one. */
function placeOn(device: string, { gpus, freeBytes }: Free): Place {
  if (device === "CPU") return { name: "processor", free: freeBytes > 0n ? Number(freeBytes) : undefined };
  for (const gpu of gpus) {
    if (gpu.device === device) return { name: device, free: left(gpu) };
    const one = gpu.instances.find((part) => part.device === device);
    if (one) return { name: `${device}${one.profile && ` (${one.profile})`}`, free: left(one) };
  }
  return { name: device, free: undefined };
}

export interface Room {
  /** The bytes of its newest version's files: the least that it needs. */
  readonly needs: number;
  /** The devices that have as much; none where no device has, undefined where nothing is known. */
  readonly on: readonly string[] | undefined;
  readonly text: string;
  /** Where the model would run if the setting did not refuse it. */
  readonly withoutStrict?: string;
}

/** `runs` is on which devices the model would run, as the engine decides it; undefined where that is not known. */
export function roomFor(
  { summary, files }: Pick<GetModelResponse, "summary" | "files">,
  engine: Free | undefined,
  runs: Pick<FindDevicesResponse, "devices" | "refused" | "withoutStrict"> | undefined,
): Room {
  const newest = summary?.versions.at(-1)?.number ?? 1n;
  const needs = files
    .filter(({ path }) => path.startsWith(`${newest}/`))
    .reduce((sum, { size }) => sum + Number(size), 0);
  if (engine === undefined || runs === undefined) return { needs, on: undefined, text: "" };
  if (runs.refused !== "") {
    const setting = runs.withoutStrict && "; “Refuse models whose GPUs are missing” in Settings is on";
    const { withoutStrict } = runs;
    return { needs, on: [], text: `it would not load: ${runs.refused}${setting}`, withoutStrict };
  }
  const places = runs.devices
    .map((device) => placeOn(device, engine))
    .filter((place): place is Place & { readonly free: number } => place.free !== undefined);
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
