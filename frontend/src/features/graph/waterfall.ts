/** When each step of the last request ran, as parts of the whole. Pure functions. */
import type { InferResponse, StepTiming } from "../../api/conch_pb";
import { type Part, requestTime, stepEnd, stepTime } from "../../lib/requestTime";
import { failedStep } from "./failedStep";

export type Row = {
  readonly step: number;
  readonly name: string; // of the model
  /** Which step it is, where the model runs more than once; "" otherwise. */
  readonly which: string;
  readonly left: number; // per cent of the whole
  readonly width: number;
  readonly ms: number;
  /** Whether it is a call that had not ended when the request was answered. */
  readonly running: boolean;
  /** Why the request failed in it; "" where it did not. */
  readonly error: string;
  /** Whether it ended because another step failed. */
  readonly givenUp: boolean;
  readonly parts: readonly Part[];
};

export type Waterfall = { readonly rows: readonly Row[]; readonly totalMs: number; readonly phrase: string };

/** Rows in the order in which the steps started. Undefined when the answer carries no steps. */
export function waterfallOf(response: InferResponse): Waterfall | undefined {
  const { steps, span } = response;
  const time = requestTime(response);
  if (steps.length === 0 || !time) return undefined;
  const total = time.totalNs;
  const lead = Number(span?.receivedNs ?? 0n);
  const failed = failedStep(response);
  const rows = steps.map((step, index) => ({
    ...row(step, whichOf(steps, index), { lead, total }),
    error: failed?.step === step ? failed.error : "",
    givenUp: failed !== undefined && failed.step !== step && Boolean(step.span?.error),
  }));
  return { rows, totalMs: total / 1e6, phrase: phraseOf(steps) };
}

type Scale = { readonly lead: number; readonly total: number };

function row(step: StepTiming, which: string, { lead, total }: Scale): Omit<Row, "error" | "givenUp"> {
  const { totalNs: took, parts } = stepTime(step);
  const left = ((lead + Number(step.startNs)) / total) * 100;
  return {
    step: step.step,
    name: step.model,
    which,
    left,
    width: step.running ? 100 - left : Math.max((took / total) * 100, 0.4), // a step too quick to see is still shown
    ms: took / 1e6,
    running: step.running,
    parts,
  };
}

/** The step's place, where one model runs twice. */
function whichOf(steps: readonly StepTiming[], index: number): string {
  const { model, step } = steps[index] as StepTiming;
  const twice = steps.some((other, i) => i !== index && other.model === model);
  return twice ? `(step ${step + 1})` : "";
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
    steps.filter((step) => Number(step.startNs) <= at && (step.running || at < stepEnd(step))).length;
  return Math.max(1, ...steps.map((step) => running(Number(step.startNs))));
}
