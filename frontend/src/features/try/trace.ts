/** What happened to a request when, as rows of a waterfall. Pure functions. */
import type { Execution, InferResponse, Span, StepTiming } from "../../api/conch_pb";
import { count } from "../../lib/format";
import type { StageName } from "../../workspace/StageBar";

/** A stretch of time in nanoseconds after the request arrived. */
export type Stretch = { readonly stage: StageName; readonly from: number; readonly to: number };

export type TraceRow = {
  readonly key: string;
  readonly depth: number;
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly stretches: readonly Stretch[];
  readonly notes: readonly string[];
};

export type Trace = { readonly rows: readonly TraceRow[]; readonly end: number };

/** Undefined when the engine did not tell what happened. */
export function traceOf(model: string, { span, steps }: InferResponse): Trace | undefined {
  if (!span) return undefined;
  const rows = [rowOf({ key: "request", depth: 0, name: model, from: 0 }, span), ...stepRows(steps, "", 1)];
  return { rows, end: Math.max(1, ...rows.map(({ to }) => to)) };
}

function stepRows(steps: readonly StepTiming[], above: string, depth: number): TraceRow[] {
  return steps.flatMap((step) => {
    const key = `${above}${step.step}`;
    const about = {
      key: `step ${key}`,
      depth,
      name: `${step.step} · ${step.model}`,
      from: Number(step.startNs),
    };
    if (!step.span) return [];
    return [rowOf(about, step.span), ...stepRows(step.steps, `${key}.`, depth + 1)];
  });
}

type About = Pick<TraceRow, "key" | "depth" | "name" | "from">;

function rowOf(about: About, span: Span): TraceRow {
  const queued = Number(span.queuedNs);
  const stretches = span.executions.flatMap((run, i) => {
    const before = i === 0 ? queued : endOf(span.executions[i - 1] as Execution);
    return stretchesOf(run, before);
  });
  const to = Math.max(Number(span.endedNs), ...stretches.map((stretch) => stretch.to));
  return { ...about, to, stretches, notes: notesOf(span) };
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
