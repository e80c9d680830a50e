/** The time of a request, by its one definition (docs/design/README.md, "A request's time"). Pure functions. */
import type { InferResponse, StepTiming, Timings } from "../api/conch_pb";

/** What the engine measures, in the order in which a request passes it. */
export type StageName = "queue" | "input" | "infer" | "output";

/** The stages, and the rest: what the workbench and the transport take. */
export type PartName = StageName | "rest";

export const stageNames: readonly StageName[] = ["queue", "input", "infer", "output"];

export const partNames: readonly PartName[] = [...stageNames, "rest"];

/** What people read. */
export const partWords: Readonly<Record<PartName, string>> = {
  queue: "queue",
  input: "input",
  infer: "inference",
  output: "output",
  rest: "workbench and transport",
};

export type Part = { readonly name: PartName; readonly ns: number };

/** The parts add up to the total; there are none where they are not known. */
export type RequestTime = { readonly totalNs: number; readonly parts: readonly Part[] };

type Measured = Pick<InferResponse, "timings" | "steps" | "span" | "decoupled">;

/** Where nobody measured the stages, as with a server elsewhere, the whole is one part: nothing is known of its inside. */
const isWhole = ({ timings, steps }: Measured): boolean => timings?.totalNs === 0n && steps.length === 0;

/** Whether a model ran itself. Its steps, if any, are the calls that its program made meanwhile; an ensemble's are all. */
export const executes = ({ span }: Pick<InferResponse, "span">): boolean =>
  (span?.executions.length ?? 0) > 0;

/** The time of an answered request. Undefined where nothing was measured. */
export function requestTime(response: Measured): RequestTime | undefined {
  const { timings, steps } = response;
  const totalNs = Number(timings?.roundTripNs || timings?.totalNs || 0n);
  if (!timings || totalNs === 0) return undefined;
  if (isWhole(response)) return { totalNs, parts: [] };
  const stages = steps.length > 0 && !executes(response) ? stagesOfSteps(steps) : stagesOf(timings);
  const all = response.decoupled && executes(response) ? toLastAnswer(stages, timings) : stages;
  return { totalNs, parts: partsOf(all, totalNs) };
}

/** A decoupled model goes on after the call that the engine measures, until its last answer: that is inference, too. */
function toLastAnswer(stages: Stages, { totalNs }: Timings): Stages {
  const left = Number(totalNs) - sumOf(stages);
  return left > 0 ? { ...stages, infer: stages.infer + left } : stages;
}

/** The time of one step of an ensemble, in the engine. Its rest is what lies between its stages. */
export function stepTime(step: StepTiming): RequestTime {
  const totalNs = Number(step.timings?.totalNs ?? 0n);
  return { totalNs, parts: partsOf(stagesOfStep(step), totalNs) };
}

function partsOf(measured: Stages, totalNs: number): Part[] {
  const stages = within(measured, totalNs);
  const rest = totalNs - sumOf(stages);
  return partNames.map((name) => ({ name, ns: name === "rest" ? rest : stages[name] }));
}

/** When a step ended, in nanoseconds after the request arrived. */
export const stepEnd = ({ startNs, timings }: StepTiming): number =>
  Number(startNs) + Number(timings?.totalNs ?? 0n);

type Stages = Readonly<Record<StageName, number>>;

const none: Stages = { queue: 0, input: 0, infer: 0, output: 0 };

function stagesOf(timings: Timings): Stages {
  return {
    queue: Number(timings.queueNs),
    input: Number(timings.inputNs),
    infer: Number(timings.inferNs),
    output: Number(timings.outputNs),
  };
}

function stagesOfStep(step: StepTiming): Stages {
  if (step.steps.length > 0 && !executes(step)) return stagesOfSteps(step.steps);
  return step.timings ? stagesOf(step.timings) : none;
}

/** Steps that run side by side take their time once: only those on the longest way count. */
function stagesOfSteps(steps: readonly StepTiming[]): Stages {
  return longestWay(steps).map(stagesOfStep).reduce(add, none);
}

const sumOf = (stages: Stages) => stageNames.reduce((all, name) => all + stages[name], 0);

const add = (a: Stages, b: Stages): Stages => ({
  queue: a.queue + b.queue,
  input: a.input + b.input,
  infer: a.infer + b.infer,
  output: a.output + b.output,
});

/**
 * The steps that the answer waited for, the last first: the step that ended last, the one that ended last before that
 * one began, and so on. A step begins when the last of its inputs is there, so this is the way through the graph.
 */
export function longestWay(steps: readonly StepTiming[]): StepTiming[] {
  const way: StepTiming[] = [];
  for (const step of [...steps].sort((a, b) => stepEnd(b) - stepEnd(a))) {
    const after = way.at(-1);
    if (!after || stepEnd(step) <= Number(after.startNs)) way.push(step);
  }
  return way;
}

/** Clocks are read at slightly different moments: stages that are together longer than the whole are shortened. */
function within(stages: Stages, totalNs: number): Stages {
  const sum = sumOf(stages);
  if (sum <= totalNs) return stages;
  const shorter = (ns: number) => Math.floor((ns * totalNs) / sum);
  return {
    queue: shorter(stages.queue),
    input: shorter(stages.input),
    infer: shorter(stages.infer),
    output: shorter(stages.output),
  };
}
