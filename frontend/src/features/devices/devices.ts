import type { Gpu, ModelSummary } from "../../api/conch_pb";

/** A model on a device, with the memory that its backend measures; 0 when it does not. */
export interface Share {
  readonly model: string;
  readonly bytes: number;
}

/** Above this part of its memory a GPU is nearly full: the next model, or a larger batch, may find no room. */
export const nearlyFull = 0.9;

/** The models with instances or memory on a device, "CPU" or "GPU 0", the largest first. */
export const sharesOf = (device: string, models: Iterable<ModelSummary>): Share[] =>
  [...models]
    .map((model) => ({ model, held: model.memory.find((one) => one.device === device) }))
    .filter(({ model, held }) => held || model.device.split(", ").includes(device))
    .map(({ model, held }) => ({ model: model.name, bytes: Number(held?.bytes ?? 0) }))
    .sort((a, b) => b.bytes - a.bytes || a.model.localeCompare(b.model));

/** What is free on a GPU; undefined where its driver does not tell. */
export const freeOf = ({ totalBytes, usedBytes }: Gpu): number | undefined =>
  totalBytes > 0 && usedBytes >= 0 ? Math.max(totalBytes - usedBytes, 0) : undefined;

export const isNearlyFull = ({ totalBytes, usedBytes }: Gpu): boolean =>
  totalBytes > 0 && usedBytes / totalBytes >= nearlyFull;

/** Of less the engine could not load another model of usual size. */
const littleMemory = 1e9;

export const isScarce = (freeBytes: bigint): boolean => freeBytes > 0n && Number(freeBytes) < littleMemory;

/**
 * Where a model whose files have so many bytes would find room, in words. Its files are the least that it needs. freeBytes is
 * what the engine may still use of the machine's memory, 0 where that is not known.
 */
export function fitText(fileBytes: number, freeBytes: bigint, gpus: readonly Gpu[]): string {
  const places = gpus.map((gpu) => ({ name: `GPU ${gpu.index}`, free: freeOf(gpu) }));
  places.push({ name: "processor", free: freeBytes > 0n ? Number(freeBytes) : undefined });
  const known = places.filter(({ free }) => free !== undefined);
  const fits = known.filter(({ free = 0 }) => free > fileBytes).map(({ name }) => name);
  if (known.length === 0) return "";
  return fits.length === 0 ? "no room for it now" : `room on ${fits.join(", ")}`;
}
