import { useEffect, useRef } from "react";
import type { ConversionReport } from "../../api/conch_pb";
import { apart } from "../../lib/apart";
import { bytes, count, milliseconds, timesApart } from "../../lib/format";
import { Agreement } from "../../workspace/Agreement";
import { names, type Target } from "./choice";
import css from "./convert.module.css";

/** How much smaller, in words: "2.0 times smaller". */
function smaller(before: number, after: number): string {
  if (before <= 0 || after <= 0) return "";
  const far = timesApart(before, after);
  return far === "" ? "the same" : `${far} ${before > after ? "smaller" : "larger"}`;
}

/** How much faster, where that is more than noise. */
function faster(of: ConversionReport): string {
  const { text, worth } = apart(
    { medianMs: of.beforeMs, lowMs: of.beforeLowMs, highMs: of.beforeHighMs },
    { medianMs: of.afterMs, lowMs: of.afterLowMs, highMs: of.afterHighMs },
  );
  if (worth === "same") return "the same";
  if (worth === "few") return `${text}, in too few runs to rely on that`;
  return worth === "noise" ? "no difference that shows: the usual times overlap" : text;
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
          <td>{smaller(before, after)}</td>
        </tr>
        {of.beforeMs > 0 && of.afterMs > 0 && (
          <tr>
            <th scope="row">Time of a request</th>
            <td>{milliseconds(of.beforeMs)}</td>
            <td>{milliseconds(of.afterMs)}</td>
            <td>{faster(of)}</td>
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
