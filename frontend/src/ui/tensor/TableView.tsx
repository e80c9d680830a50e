/** A tensor as rows of its last dimension; the beginning of a large one. */
import { elementText } from "../../lib/tensor-json";
import css from "./tensor.module.css";
import { rowName, type Shown, tableSize } from "./views";

const maxRows = 64;
const maxColumns = 32;

export function TableView({ shown }: { shown: Shown }) {
  const { rows, columns } = tableSize(shown.shape, shown.values.length);
  const across = Array.from({ length: Math.min(columns, maxColumns) }, (_, i) => i);
  const down = Array.from({ length: Math.min(rows, maxRows) }, (_, i) => i);
  if (rows === 0) return <div className={css.note}>No elements: a dimension is 0.</div>;
  return (
    <div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by key */}
      <section className={css.tableScroll} aria-label="Values" tabIndex={0}>
        <table className={css.table}>
          <thead>
            <tr>
              <th aria-label="Index" />
              {across.map((column) => (
                <th key={column}>{column}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {down.map((row) => (
              <tr key={row}>
                <th>{rowName(shown.shape, row)}</th>
                {across.map((column) => (
                  <td key={column}>{cellText(shown, row * columns + column)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {(rows > maxRows || columns > maxColumns) && <div className={css.note}>{cutPhrase(rows, columns)}</div>}
    </div>
  );
}

function cellText({ datatype, values }: Shown, index: number): string {
  if (index >= values.length) return "";
  const value = values.at(index);
  if (typeof value === "number" && !Number.isInteger(value) && Number.isFinite(value))
    return String(Number(value.toPrecision(5)));
  return elementText(datatype, value);
}

function cutPhrase(rows: number, columns: number): string {
  const r = Math.min(rows, maxRows);
  const c = Math.min(columns, maxColumns);
  return `The first ${r} of ${rows} rows, ${c} of ${columns} columns`;
}
