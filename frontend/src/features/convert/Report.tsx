import { useEffect, useRef } from "react";
import type { ConversionReport } from "../../api/conch_pb";
import { bytes, count, milliseconds, timesApart } from "../../lib/format";
import { Agreement } from "../../workspace/Agreement";
import { names, type Target } from "./choice";
import css from "./convert.module.css";

/** How much smaller or faster, in words: "2.0 times smaller". */
function times(before: number, after: number, less: string, more: string): string {
  if (before <= 0 || after <= 0) return "";
  const apart = timesApart(before, after);
  if (apart === "") return "the same";
  return `${apart} ${before > after ? less : more}`;
}

interface Props {
  readonly of: ConversionReport;
}

const nameOf = ({ target }: ConversionReport): string => names[target as Target] ?? "New";

function Gain({ of }: Props) {
  const [before, after] = [Number(of.beforeBytes), Number(of.afterBytes)];
  return (
    <table className={css.gain} aria-label="What it gains">
      <thead>
        <tr>
          <td />
          <th scope="col">Version {String(of.of)}</th>
          <th scope="col">{nameOf(of)}</th>
          <td />
        </tr>
      </thead>
      <tbody>
        <tr>
          <th scope="row">Size</th>
          <td>{bytes(of.beforeBytes)}</td>
          <td>{bytes(of.afterBytes)}</td>
          <td>{times(before, after, "smaller", "larger")}</td>
        </tr>
        {of.beforeMs > 0 && of.afterMs > 0 && (
          <tr>
            <th scope="row">Time of a request</th>
            <td>{milliseconds(of.beforeMs)}</td>
            <td>{milliseconds(of.afterMs)}</td>
            <td>{times(of.beforeMs, of.afterMs, "faster", "slower")}</td>
          </tr>
        )}
      </tbody>
    </table>
  );
}

/** ONNX models are measured on the processor, also on a machine with a GPU; a plan runs nowhere but on a GPU. */
function whereMeasured({ target, tool, beforeMs }: ConversionReport): string {
  if (target !== "tensorrt")
    return `, by ${tool} on the processor of this machine. A GPU or another machine may say something else.`;
  const other = beforeMs > 0 ? ", and the ONNX model on its processor" : "";
  return `. The plan ran on the GPU of this machine${other} (${tool}). Another machine may say something else.`;
}

/** What the conversion costs and gains, before anything is written. It takes the focus, which was on what ran. */
export function Report({ of }: Props) {
  const section = useRef<HTMLElement>(null);
  useEffect(() => section.current?.focus(), []);
  return (
    <section ref={section} tabIndex={-1} className={css.report} aria-label="What it costs and gains">
      <Gain of={of} />
      {of.runs > 0 && (
        <p className={css.small}>
          Median of {count(of.runs, "run")} of each model with {count(of.requests, "request")}
          {whereMeasured(of)}
        </p>
      )}
      {of.requests === 0 ? (
        <p className={css.warn}>The answers were not compared: there was no request.</p>
      ) : (
        <Agreement outputs={of.outputs} />
      )}
      <ul className={css.notes} aria-label="What to know">
        {[...of.notes, of.serving].map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
      {of.config !== "" && <pre className={css.config}>{of.config}</pre>}
    </section>
  );
}
