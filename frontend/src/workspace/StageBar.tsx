/** Where the time of a request went: one bar in the stages' fixed colours, and its legend. */
import type { Timings } from "../api/conch_pb";
import css from "./StageBar.module.css";

export type StageName = "queue" | "input" | "infer" | "output";

/** Every stage in the order in which a request passes them. */
export const stageNames: readonly StageName[] = ["queue", "input", "infer", "output"];

export const stageColor = (stage: StageName): string => `var(--${stage})`;

/** Milliseconds of a stage: two decimals are enough from 0.1 up, three below. */
export function stageText(ms: number): string {
  if (ms >= 100) return ms.toFixed(0);
  if (ms >= 10) return ms.toFixed(1);
  return ms >= 0.1 ? ms.toFixed(2) : String(Number(ms.toFixed(3)));
}

/** Parts share the bar by whole nanoseconds: shares that add up to less than 1 would leave a gap. */
const share = (ms: number) => Math.max(0, Math.round(ms * 1e6));

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
    <i key={name} style={{ flexGrow: share(ms), background: stageColor(name) }} />
  ));
}

export function StageBar({ timings }: { timings: Timings }) {
  const stages = stagesOf(timings);
  const words = stages.map(({ name, ms }) => `${name} ${stageText(ms)} ms`).join(", ");
  return (
    <div>
      <div className={css.bar} role="img" aria-label={`Time by stage: ${words}`}>
        <StageParts stages={stages} />
      </div>
      <div className={css.legend} aria-hidden="true">
        {stages.map(({ name, ms }, at) => (
          <span key={name}>
            <i style={{ background: stageColor(name) }} />
            {name} {stageText(ms)}
            {at === stages.length - 1 && " ms"}
          </span>
        ))}
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
