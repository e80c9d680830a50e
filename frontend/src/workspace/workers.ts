import { useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import { clients } from "../api/client";
import {
  type ListWorkersResponse,
  ModelState,
  type ModelSummary,
  type Worker,
  type WorkerName,
} from "../api/conch_pb";

/** ONNX Runtime runs in the engine itself; others run in processes of their own, and nothing runs one whose backend is not here. */
export const hasProcesses = ({ ensemble, kind, state }: ModelSummary): boolean =>
  !ensemble && kind !== "ONNX" && kind !== "" && state !== ModelState.NOT_RUNNABLE;

/** Whether a request to it may run in processes: in its own, or in those of a step of it at any depth. */
export function runsProcesses(model: ModelSummary, models: ReadonlyMap<string, ModelSummary>): boolean {
  const seen = new Set<string>();
  const runs = (one: ModelSummary): boolean => {
    if (seen.has(one.name)) return false;
    seen.add(one.name);
    if (!one.ensemble) return hasProcesses(one);
    return one.uses.some((name) => {
      const step = models.get(name);
      return step !== undefined && runs(step);
    });
  };
  return runs(model);
}

const EVERY_MS = 1000;

/** Names a process among those of all models. */
export const workerKey = ({ model, version, instance, leaving }: WorkerName): string =>
  `${model} ${version} ${instance} ${leaving}`;

/** The instances of a model that run in processes of their own, asked for each second while it is looked at. */
export const useWorkers = (model: string) =>
  useQuery({
    queryKey: ["workers", model],
    queryFn: ({ signal }) => clients.models.listWorkers({ model }, { signal }),
    refetchInterval: EVERY_MS,
    gcTime: 0,
  });

export const keyOf = ({ name }: Worker): string => (name ? workerKey(name) : "");

/** What share of a processor a process used between two answers, in percent; undefined while that is unknown. */
export function cpuPercent(
  before: ListWorkersResponse | undefined,
  now: ListWorkersResponse,
  worker: Worker,
): number | undefined {
  const old = before?.workers.find((one) => keyOf(one) === keyOf(worker) && one.pid === worker.pid);
  const passed = Number(now.timeNs - (before?.timeNs ?? now.timeNs));
  if (!old || passed <= 0 || worker.pid === 0) return undefined;
  return (Number(worker.cpuNs - old.cpuNs) / passed) * 100;
}

/** The answer before the newest one. */
export function useBefore(data: ListWorkersResponse | undefined): ListWorkersResponse | undefined {
  const seen = useRef<{ now?: ListWorkersResponse; before?: ListWorkersResponse }>({});
  if (data !== seen.current.now) seen.current = { now: data, before: seen.current.now };
  return seen.current.before;
}
