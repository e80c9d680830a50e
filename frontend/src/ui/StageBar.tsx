/** Where the time of a request went: one bar in the stages' fixed colours, and its legend. */
import type { Timings } from "../api/conch_pb";
import { significant } from "../lib/format";
import css from "./StageBar.module.css";

export type StageName = "queue" | "input" | "infer" | "output";

/** Every stage in the order in which a request passes them. */
export const stageNames: readonly StageName[] = ["queue", "input", "infer", "output"];

export const stageColor = (stage: StageName): string => `var(--${stage})`;

export type Stage = { readonly name: StageName; readonly ms: number };

export function stagesOf(timings: Timings): Stage[] {
  const ns = {
    queue: timings.queueNs,
    input: timings.inputNs,
    infer: timings.inferNs,
    output: timings.outputNs,
  };
  return stageNames.map((name) => ({ name, ms: Number(ns[name]) / 1e6 }));
}

/** The parts of one bar; fills its parent. */
export function StageParts({ stages }: { stages: readonly Stage[] }) {
  return stages.map(({ name, ms }) => (
    <i key={name} style={{ flexGrow: Math.max(ms, 0), background: stageColor(name) }} />
  ));
}

export function StageBar({ timings }: { timings: Timings }) {
  const stages = stagesOf(timings);
  const words = stages.map(({ name, ms }) => `${name} ${significant(ms)} ms`).join(", ");
  return (
    <div>
      <div className={css.bar} role="img" aria-label={`Time by stage: ${words}`}>
        <StageParts stages={stages} />
      </div>
      <div className={css.legend} aria-hidden="true">
        {stages.map(({ name, ms }) => (
          <span key={name}>
            <i style={{ background: stageColor(name) }} />
            {name} {significant(ms)}
          </span>
        ))}
        <span className="dim">ms</span>
      </div>
    </div>
  );
}

/** The colours' names alone, for a chart of many bars. */
export function StageLegend() {
  return (
    <div className={css.legend} aria-hidden="true">
      {stageNames.map((name) => (
        <span key={name}>
          <i style={{ background: stageColor(name) }} />
          {name}
        </span>
      ))}
    </div>
  );
}
