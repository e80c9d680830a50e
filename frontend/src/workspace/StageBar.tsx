/** Where the time of a request went: one bar in the stages' fixed colours, and its legend. */

import { grouped, milliseconds } from "../lib/format";
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

/** Milliseconds of a stage: two decimals are enough from 0.1 up, three below. */
export function stageText(ms: number): string {
  if (ms >= 100) return grouped(ms);
  if (ms >= 10) return ms.toFixed(1);
  return ms >= 0.1 ? ms.toFixed(2) : String(Number(ms.toFixed(3)));
}

/** A part beside the total, in the total's unit: "0.31" of "0.90 ms", "1.43" of "3.19 s". */
export function partText(ns: number, totalNs: number): string {
  const unit = milliseconds(totalNs / 1e6).endsWith(" ms") ? 1 : 1000;
  return stageText(ns / 1e6 / unit);
}

/** Parts in words: "queue 0.04 ms, input 0.03 ms". */
export const partPhrase = (parts: readonly Part[]): string =>
  parts.map(({ name, ns }) => `${partWords[name]} ${stageText(ns / 1e6)} ms`).join(", ");

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
        aria-label={`Time by stage: ${milliseconds(totalNs / 1e6)} in all: ${partPhrase(parts)}`}
      >
        <StageParts parts={parts} />
      </div>
      <div className={css.legend} aria-hidden="true">
        {parts.map(({ name, ns }) => (
          <span key={name}>
            <i style={{ background: partFill(name) }} />
            {partWords[name]} {partText(ns, totalNs)}
          </span>
        ))}
        <span>= {milliseconds(totalNs / 1e6)}</span>
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
