/** When each step of the last request ran, as parts of the whole. Pure functions. */
import type { InferResponse, StepTiming } from "../../api/conch_pb";
import { type Stage, stagesOf } from "../../workspace/StageBar";

export type Row = {
  readonly step: number;
  readonly name: string;
  readonly left: number; // per cent of the whole
  readonly width: number;
  readonly ms: number;
  readonly stages: readonly Stage[];
};

export type Waterfall = { readonly rows: readonly Row[]; readonly totalMs: number; readonly phrase: string };

/** Rows in the order in which the steps started. Undefined when the answer carries no steps. */
export function waterfallOf(response: InferResponse): Waterfall | undefined {
  const { steps, timings } = response;
  if (steps.length === 0) return undefined;
  const end = Math.max(...steps.map((step) => endOf(step)));
  const total = Math.max(Number(timings?.totalNs ?? 0n), end, 1);
  const rows = steps.map((step, index) => row(step, nameOf(steps, index), total));
  return { rows, totalMs: total / 1e6, phrase: phraseOf(steps) };
}

function row(step: StepTiming, name: string, total: number): Row {
  const took = Number(step.timings?.totalNs ?? 0n);
  return {
    step: step.step,
    name,
    left: (Number(step.startNs) / total) * 100,
    width: Math.max((took / total) * 100, 0.4), // a step too quick to see is still shown
    ms: took / 1e6,
    stages: step.timings ? stagesOf(step.timings) : [],
  };
}

/** The model's name, with the step's place where one model runs twice. */
function nameOf(steps: readonly StepTiming[], index: number): string {
  const { model, step } = steps[index] as StepTiming;
  const twice = steps.some((other, i) => i !== index && other.model === model);
  return twice ? `${model} (step ${step + 1})` : model;
}

const words = ["", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];

function phraseOf(steps: readonly StepTiming[]): string {
  if (steps.length === 1) return "one step";
  const most = atOnce(steps);
  if (most === 1) return "one step after another";
  return `${words[most] ?? most} steps side by side`;
}

/** The most steps that ran at one moment. */
function atOnce(steps: readonly StepTiming[]): number {
  const running = (at: number) =>
    steps.filter((step) => Number(step.startNs) <= at && at < endOf(step)).length;
  return Math.max(1, ...steps.map((step) => running(Number(step.startNs))));
}

function endOf(step: StepTiming): number {
  return Number(step.startNs) + Number(step.timings?.totalNs ?? 0n);
}
