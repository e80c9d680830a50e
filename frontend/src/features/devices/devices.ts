import { type Gpu, type GpuInstance, ModelState, type ModelSummary } from "../../api/conch_pb";
import { bytes, count } from "../../lib/format";
import { countedNames, deviceOf, devicesIn } from "../../workspace/gpuText";

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
    .filter(({ model, held }) => held || devicesIn(model.device).includes(device))
    .map(({ model, held }) => ({ model: model.name, bytes: Number(held?.bytes ?? 0) }))
    .sort((a, b) => b.bytes - a.bytes || a.model.localeCompare(b.model));

const mostNamed = 12;

/** The shares that are named at once, and those that are left. */
export const firstShares = (all: readonly Share[]): [named: readonly Share[], left: readonly Share[]] =>
  all.length <= mostNamed + 1 ? [all, []] : [all.slice(0, mostNamed), all.slice(mostNamed)];

/** Why no model can be on a GPU; "" where one can. */
export const unusedText = (gpu: Gpu): string =>
  deviceOf(gpu) === ""
    ? "No model can run here: CUDA shows them an instance of a divided GPU, and nothing else."
    : "";

export const isNearlyFull = ({ totalBytes, usedBytes }: Gpu | GpuInstance): boolean =>
  totalBytes > 0 && usedBytes / totalBytes >= nearlyFull;

/** Why a GPU that is nearly full may be so, and what makes room: models can be unloaded only where some hold memory. */
export function fullText(of: Gpu, shares: readonly Share[]): string {
  const what = "Nearly full: another model, or a larger batch, may find no room.";
  const ours = shares.length > 0 || of.processes.some(({ own }) => own);
  if (ours) return `${what} Unload a model, or end other programs on this GPU.`;
  return `${what} No model of this server is on it: other programs hold its memory. End some of them.`;
}

/** Of less the engine could not load another model of usual size. */
const littleMemory = 1e9;

export const isScarce = (freeBytes: bigint): boolean => freeBytes > 0n && Number(freeBytes) < littleMemory;

/** The programs on a GPU that are not of this engine, in words; "" where there is none. */
export function othersText({ processes, processCount }: Gpu): string {
  const others = processes.filter(({ own }) => !own);
  const more = processCount - processes.length;
  if (others.length === 0) return "";
  const named = others.map(({ pid, bytes: held }) => (held >= 0 ? `${pid} (${bytes(held)})` : String(pid)));
  return `Other programs here: process ${named.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** What a divided GPU is divided into. */
export function dividedText({ instances }: Gpu): string {
  if (instances.length === 0)
    return "Divided (MIG), but the driver tells of no instance. Without one nothing can run on it.";
  const full = instances.filter(isNearlyFull).length;
  return [
    `Divided into ${count(instances.length, "instance")} (MIG)`,
    countedNames(instances.map(({ profile }) => profile)),
    full > 0 && `${full} nearly full`,
  ]
    .filter(Boolean)
    .join(" · ");
}

/** The numbers of an instance as NVIDIA's tools tell them, short and in words; "" for what its driver does not tell. */
export function numbersOf({ number, compute }: GpuInstance): [string, string] {
  if (number < 0) return ["", ""];
  if (compute < 0) return [String(number), `GPU instance ${number}`];
  return [`${number}/${compute}`, `GPU instance ${number}, compute instance ${compute}`];
}

/** The instances of so many are shown at once: those of one GPU. */
const mostShown = 8;

export const areFew = (gpus: readonly Gpu[]): boolean =>
  gpus.reduce((all, { instances }) => all + instances.length, 0) <= mostShown;

const idle = [ModelState.UNLOADED, ModelState.FAILED, ModelState.WAITING, ModelState.UNTRUSTED];

/** The models that hold no memory and could: an ensemble never does. */
export const idleOf = (models: readonly ModelSummary[]): ModelSummary[] =>
  models.filter(({ state, ensemble }) => !ensemble && idle.includes(state));

/** The driver, "580.65, CUDA 13.0", in words: CUDA itself need not be there. */
export const driverText = (of: string): string =>
  `NVIDIA driver ${of.replace(", CUDA ", ", which runs CUDA up to ")}`;
