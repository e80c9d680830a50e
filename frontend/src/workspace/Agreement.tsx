import type { OutputAgreement } from "../api/conch_pb";
import { cx } from "../lib/cx";
import { count, grouped, significant } from "../lib/format";
import css from "./Agreement.module.css";

const small = (value: number): string =>
  value !== 0 && Math.abs(value) < 1e-4 ? value.toExponential(1) : significant(value, 4);

/** How many values are the same, and in how many rows of what may be scores the largest one stays where it is: the class that they choose. */
function Same({ of: { equal, elements, rows, sameRows } }: { readonly of: OutputAgreement }) {
  return (
    <td>
      {grouped(equal)} of {grouped(elements)}
      {rows > 0n && (
        <span className={cx(css.rows, sameRows < rows && css.off)} title="Of scores, the same class">
          largest in place in {grouped(sameRows)} of {count(Number(rows), "row")}
        </span>
      )}
    </td>
  );
}

/** Values without a distance between them, such as texts, and no values at all. */
const apart = (of: OutputAgreement, number: number): string =>
  of.datatype === "BYTES" || of.elements === 0n ? "–" : small(number);

function Row({ of }: { readonly of: OutputAgreement }) {
  if (of.trouble !== "")
    return (
      <tr>
        <th scope="row">{of.name}</th>
        <td colSpan={4}>not compared: {of.trouble}</td>
      </tr>
    );
  return (
    <tr>
      <th scope="row">
        {of.name}
        {of.odd > 0n && <small>{grouped(of.odd)} infinite or no numbers on one side alone</small>}
      </th>
      <td>{apart(of, of.absolute)}</td>
      <td>{apart(of, of.relative)}</td>
      <td>{Number.isNaN(of.cosine) ? "–" : of.cosine.toFixed(6)}</td>
      <Same of={of} />
    </tr>
  );
}

/** How far the outputs of two models agree. */
export function Agreement({ outputs }: { readonly outputs: readonly OutputAgreement[] }) {
  return (
    <div className={css.scroll}>
      <table className={css.table} aria-label="How far the answers agree">
        <thead>
          <tr>
            <th scope="col">Output</th>
            <th scope="col" title="The largest difference of two values">
              Largest difference
            </th>
            <th scope="col" title="Beside the size of the value, of values above a thousandth of the largest">
              Relative
            </th>
            <th scope="col" title="1 when both point the same way">
              Cosine
            </th>
            <th scope="col">Same values</th>
          </tr>
        </thead>
        <tbody>
          {outputs.map((of) => (
            <Row key={of.name} of={of} />
          ))}
        </tbody>
      </table>
    </div>
  );
}
