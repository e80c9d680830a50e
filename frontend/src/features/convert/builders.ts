import type { Engine } from "../../api/conch_pb";
import { deviceOf } from "../../workspace/gpuText";
import type { Choice } from "./choice";

/** A GPU that can build a plan, by the number that programs have for it. */
export interface Builder {
  readonly number: number;
  readonly name: string;
}

/** The GPUs of this machine that CUDA shows to programs. Those of a server elsewhere build nothing, and a GPU that is lost neither. */
export function buildersOf(engine: Engine | undefined): Builder[] {
  if (!engine || engine.remote) return [];
  return engine.gpus.flatMap((gpu) => {
    const device = deviceOf(gpu);
    return device === "" ? [] : [{ number: Number(device.slice("GPU ".length)), name: gpu.name }];
  });
}

/** The one that builds: the chosen one while it is there, else the first. */
export const builderOf = ({ gpu }: Pick<Choice, "gpu">, builders: readonly Builder[]): number =>
  (builders.find(({ number }) => number === gpu) ?? builders[0])?.number ?? 0;
