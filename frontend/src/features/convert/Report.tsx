import type { ConversionReport } from "../../api/conch_pb";
import { bytes, count, significant } from "../../lib/format";
import { Agreement } from "../../workspace/Agreement";
import css from "./convert.module.css";

/** How many times smaller or faster, in words: "2.0 times smaller". */
function times(before: number, after: number, less: string, more: string): string {
  if (before <= 0 || after <= 0) return "";
  const ratio = before / after;
  if (Math.abs(ratio - 1) < 0.02) return "the same";
  return ratio > 1 ? `${ratio.toFixed(1)} times ${less}` : `${(1 / ratio).toFixed(1)} times ${more}`;
}

interface Props {
  readonly of: ConversionReport;
  /** What the new model is: "FP16". */
  readonly called: string;
}

function Gain({ of, called }: Props) {
  const [before, after] = [Number(of.beforeBytes), Number(of.afterBytes)];
  return (
    <table className={css.gain} aria-label="What it gains">
      <thead>
        <tr>
          <td />
          <th scope="col">Now</th>
          <th scope="col">{called}</th>
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
            <td>{significant(of.beforeMs, 4)} ms</td>
            <td>{significant(of.afterMs, 4)} ms</td>
            <td>{times(of.beforeMs, of.afterMs, "faster", "slower")}</td>
          </tr>
        )}
      </tbody>
    </table>
  );
}

/** What the conversion costs and gains, before anything is written. */
export function Report({ of, called }: Props) {
  return (
    <section className={css.report} aria-label="What it costs and gains">
      <Gain of={of} called={called} />
      {of.runs > 0 && (
        <p className={css.small}>
          Median of {count(of.runs, "run")} of each model with {count(of.requests, "request")}, by {of.tool}{" "}
          on this machine. Another machine may say something else.
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
