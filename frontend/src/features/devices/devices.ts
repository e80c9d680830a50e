import type { Gpu, ModelSummary } from "../../api/conch_pb";

/** A model on a device, with the memory that its backend measures; 0 when it does not. */
export interface Share {
  readonly model: string;
  readonly bytes: number;
}

/** Above this part of its memory a GPU is nearly full: the next model, or a larger batch, may find no room. */
const nearlyFull = 0.9;

const gpusOf = ({ device }: ModelSummary): number[] =>
  [...device.matchAll(/GPU (\d+)/g)].map(([, index]) => Number(index));

/** The models with instances on a GPU, the largest first. The memory of one that is on several is told as a whole on each. */
export const sharesOf = (index: number, models: Iterable<ModelSummary>): Share[] =>
  [...models]
    .filter((model) => gpusOf(model).includes(index))
    .map(({ name, memoryBytes }) => ({ model: name, bytes: Number(memoryBytes) }))
    .sort((a, b) => b.bytes - a.bytes || a.model.localeCompare(b.model));

/** The models with instances on the processor. */
export const onProcessor = (models: Iterable<ModelSummary>): Share[] =>
  [...models]
    .filter(({ device }) => device.includes("CPU"))
    .map(({ name, memoryBytes }) => ({ model: name, bytes: Number(memoryBytes) }))
    .sort((a, b) => b.bytes - a.bytes || a.model.localeCompare(b.model));

/** What is free on a GPU; undefined where its driver does not tell. */
export const freeOf = ({ totalBytes, usedBytes }: Gpu): number | undefined =>
  totalBytes > 0 && usedBytes >= 0 ? Math.max(totalBytes - usedBytes, 0) : undefined;

export const isNearlyFull = ({ totalBytes, usedBytes }: Gpu): boolean =>
  totalBytes > 0 && usedBytes / totalBytes >= nearlyFull;

/** Whether a model whose files have so many bytes would fit, in words. Its files are the least that it needs. */
export function fitText(fileBytes: number, gpus: readonly Gpu[]): string {
  const free = gpus.map(freeOf);
  if (free.some((bytes) => bytes === undefined) || free.length === 0) return "";
  const fits = gpus.filter((_, i) => (free[i] ?? 0) > fileBytes).map(({ index }) => `GPU ${index}`);
  return fits.length === 0 ? "fits on no GPU now" : `fits on ${fits.join(", ")}`;
}
