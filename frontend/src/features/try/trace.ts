/** What happened to a request when, as rows of a waterfall. Pure functions. */
import type { Execution, InferResponse, Span, StepTiming } from "../../api/conch_pb";
import { count } from "../../lib/format";
import { type PartName, requestTime, stepTime } from "../../lib/requestTime";

/** A stretch of time in nanoseconds after the request was sent. */
export type Stretch = { readonly stage: PartName; readonly from: number; readonly to: number };

export type TraceRow = {
  readonly key: string;
  readonly depth: number;
  readonly name: string;
  readonly from: number;
  readonly to: number;
  /** Whether it is a call that had not ended when the request was answered. */
  readonly running: boolean;
  readonly stretches: readonly Stretch[];
  readonly notes: readonly string[];
};

export type Trace = { readonly rows: readonly TraceRow[]; readonly end: number };

/** Undefined when the engine did not tell what happened. The end is the request's total time. */
export function traceOf(model: string, response: InferResponse): Trace | undefined {
  const { span, steps } = response;
  if (!span) return undefined;
  const lead = Number(span.receivedNs);
  const request = rowOf({ key: "request", depth: 0, name: model, from: 0 }, span, lead);
  const end = Math.max(1, requestTime(response)?.totalNs ?? request.to);
  return {
    rows: [
      { ...request, to: end, stretches: around(request.stretches, lead, request.to, end) },
      ...timesOf(steps, { lead, end }),
    ],
    end,
  };
}

/** What the engine did, between the ways there and back. */
function around(engine: readonly Stretch[], lead: number, answered: number, end: number): Stretch[] {
  return [
    { stage: "rest", from: 0, to: lead },
    ...engine,
    { stage: "rest", from: Math.min(answered, end), to: end },
  ];
}

/** When the request arrived, and when it was answered. */
type Scale = { readonly lead: number; readonly end: number };

function timesOf(steps: readonly StepTiming[], scale: Scale, above = "", depth = 1): TraceRow[] {
  return steps.flatMap((step) => {
    const number = `${above}${step.step + 1}`;
    const from = scale.lead + Number(step.startNs);
    const about = { key: `step ${number}`, depth, name: `${number} · ${step.model}`, from };
    if (!step.span) return [];
    const row = rowOf(about, step.span, scale.lead);
    return [
      step.running ? runningRow(row, scale) : endedRow(row, step),
      ...timesOf(step.steps, scale, `${number}.`, depth + 1),
    ];
  });
}

type About = Pick<TraceRow, "key" | "depth" | "name" | "from">;

function endedRow(row: TraceRow, step: StepTiming): TraceRow {
  return { ...row, to: row.from + (stepTime(step).totalNs || row.to - row.from) };
}

function runningRow(row: TraceRow, { end }: Scale): TraceRow {
  const notes = [...row.notes, "it had not ended when the request was answered"];
  return { ...row, to: end, running: true, notes };
}

/** `lead` is when the request arrived: the engine counts from there. */
function rowOf(about: About, span: Span, lead: number): TraceRow {
  const queued = Number(span.queuedNs);
  const stretches = span.executions.flatMap((run, i) => {
    const before = i === 0 ? queued : endOf(span.executions[i - 1] as Execution);
    return stretchesOf(run, before).map(({ stage, from, to }) => ({
      stage,
      from: lead + from,
      to: lead + to,
    }));
  });
  const to = Math.max(lead + Number(span.endedNs), ...stretches.map((stretch) => stretch.to));
  return { ...about, to, running: false, stretches, notes: notesOf(span) };
}

const endOf = (run: Execution) => Number(run.startNs + run.inputNs + run.inferNs + run.outputNs);

function stretchesOf(run: Execution, queued: number): Stretch[] {
  const start = Number(run.startNs);
  const stretches: Stretch[] = [{ stage: "queue", from: Math.min(queued, start), to: start }];
  let from = start;
  for (const [stage, took] of [
    ["input", run.inputNs],
    ["infer", run.inferNs],
    ["output", run.outputNs],
  ] as const) {
    stretches.push({ stage, from, to: from + Number(took) });
    from += Number(took);
  }
  return stretches;
}

function notesOf({ executions, cached, responsesNs, error }: Span): string[] {
  const notes = executions.map((run) => `in ${run.instance}, ${companyOf(run)}`);
  if (cached) notes.push("answered from the cache");
  if (responsesNs.length > 1) notes.push(count(responsesNs.length, "response"));
  if (error) notes.push(error);
  return notes;
}

/** With whom a request ran. */
function companyOf({ requests, items }: Execution): string {
  const size = items > 0n ? `batch of ${items}` : "no batch";
  if (requests.length < 2) return `${size}, alone`;
  const ids = requests.filter(Boolean);
  return `${size} from ${count(requests.length, "request")}${ids.length > 0 ? ` (${ids.join(", ")})` : ""}`;
}

/** A step by its number, as people count, and by its path, as the engine does. */
export type StepRow = { readonly number: string; readonly path: string; readonly model: string };

/** All steps, those of an ensemble in the ensemble after it, in the order of the config. */
export function stepRows(steps: readonly StepTiming[], number = "", path = ""): StepRow[] {
  return [...steps]
    .sort((a, b) => a.step - b.step)
    .flatMap((step) => {
      const row = { number: `${number}${step.step + 1}`, path: `${path}${step.step}`, model: step.model };
      return [row, ...stepRows(step.steps, `${row.number}.`, `${row.path}.`)];
    });
}
