/** Where the time of a request went: one bar in the stages' fixed colours, and its legend. */

import { nanoseconds } from "../lib/format";
import {
  type Part,
  type PartName,
  partNames,
  partWords,
  type RequestTime,
  stageNames,
} from "../lib/requestTime";
import css from "./StageBar.module.css";

/** The fill of a part: the colour of a stage, hatched for what the engine did not measure. */
export const partFill = (part: PartName): string => (part === "rest" ? "var(--hatch)" : `var(--${part})`);

/** The parts that took time: a request that waited for nobody has no queue. */
const told = (parts: readonly Part[]): Part[] => parts.filter(({ ns }) => ns > 0);

/** Parts in words: "queue 40.2 µs, input 3.10 µs". */
export const partPhrase = (parts: readonly Part[]): string =>
  told(parts)
    .map(({ name, ns }) => `${partWords[name]} ${nanoseconds(ns)}`)
    .join(", ");

/** The parts of one bar; fills its parent. */
export function StageParts({ parts }: { readonly parts: readonly Part[] }) {
  return parts.map(({ name, ns }) => (
    <i key={name} style={{ flexGrow: Math.max(0, Math.round(ns)), background: partFill(name) }} />
  ));
}

export function StageBar({ time: { totalNs, parts } }: { readonly time: RequestTime }) {
  if (parts.length === 0)
    return <p className="dim">A remote server does not tell where the time of a request went.</p>;
  return (
    <div>
      <div
        className={css.bar}
        role="img"
        aria-label={`Time by stage: ${nanoseconds(totalNs)} in all: ${partPhrase(parts)}`}
      >
        <StageParts parts={parts} />
      </div>
      <div className={css.legend} aria-hidden="true">
        {told(parts).map(({ name, ns }) => (
          <span key={name}>
            <i style={{ background: partFill(name) }} />
            {partWords[name]} {nanoseconds(ns)}
          </span>
        ))}
        <span>= {nanoseconds(totalNs)}</span>
      </div>
    </div>
  );
}

/** The colours' names alone, for a chart of many bars. */
export function StageLegend({ rest = false }: { readonly rest?: boolean }) {
  return (
    <div className={css.legend} aria-hidden="true">
      {(rest ? partNames : stageNames).map((name) => (
        <span key={name}>
          <i style={{ background: partFill(name) }} />
          {partWords[name]}
        </span>
      ))}
    </div>
  );
}
