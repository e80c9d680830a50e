/** The head of the overview's table: its columns, the range that some are of, and what is said of the rows out of sight. */
import type { ReactNode } from "react";
import { cx } from "../../lib/cx";
import { type View, viewHead, viewPhrase } from "../../lib/range";
import css from "./overview.module.css";
import type { SortKey } from "./rows";

type Column = {
  readonly key?: SortKey;
  readonly label: string;
  readonly number?: boolean;
  readonly width?: number;
  readonly wide?: boolean; // gives way in a narrow window
  readonly inRange?: boolean; // what a model did in the range that the charts show
  readonly title?: string;
};

const memoryMeans =
  "What the backend measures: the model's weights and its working memory, as of its last request";

export const traffic = "Traffic";

/** Widths in pixels. Names and traffic have theirs in the styles, by the room; notes have what is left. */
export const columns: readonly Column[] = [
  { key: "name", label: "Model" },
  { key: "kind", label: "Kind", width: 84, wide: true },
  { label: "Versions", width: 64 },
  { label: "Instances", width: 92, wide: true },
  { key: "memory", label: "Memory", number: true, width: 66, title: memoryMeans },
  {
    key: "rate",
    label: "Now, /s",
    number: true,
    width: 62,
    title: "Requests per second in the last 5 seconds: of clients, of ensembles and of other models",
  },
  { label: traffic, wide: true, inRange: true },
  { key: "requests", label: "Requests", number: true, width: 72, inRange: true, title: "Answered or failed" },
  {
    key: "p50",
    label: "p50",
    number: true,
    width: 58,
    inRange: true,
    title: "Half of the requests were answered within this time, as measured in the engine",
  },
  {
    key: "p99",
    label: "p99",
    number: true,
    width: 58,
    inRange: true,
    title: "99 % of the requests were answered within this time, as measured in the engine",
  },
  {
    key: "failures",
    label: "Failures",
    number: true,
    width: 62,
    inRange: true,
    title: "Requests that failed",
  },
  { label: "Note" },
];

type MoreProps = { readonly above: number; readonly below: number; readonly onMore: () => void };

/** Says in the head what is out of sight: scroll bars of some systems are not seen. It takes no row from the models. */
export function More({ above, below, onMore }: MoreProps) {
  if (below === 0) return <span className={css.more}>{above} more above</span>;
  return (
    <button type="button" className={css.more} onClick={onMore}>
      {below} more below
    </button>
  );
}

type HeadProps = {
  readonly sort: SortKey;
  readonly view: View;
  readonly more: ReactNode; // what is said of the rows out of sight
  readonly onSort: (key: SortKey) => void;
};

const before = columns.findIndex(({ inRange }) => inRange);
const narrow = (list: readonly Column[]) => list.filter(({ wide }) => !wide);

/** Names the range over the columns that are of it. In a narrow window these are fewer. */
function GroupRow({ view, more }: Pick<HeadProps, "view" | "more">) {
  const leading = columns.slice(0, before);
  const inRange = columns.filter((column) => column.inRange);
  return (
    <tr className={css.groups}>
      <td className={css.wide} colSpan={leading.length}>
        {more}
      </td>
      <td className={css.slim} colSpan={narrow(leading).length}>
        {more}
      </td>
      <th className={css.wide} colSpan={inRange.length} scope="colgroup">
        <span>{viewHead(view)}</span>
      </th>
      <th className={css.slim} colSpan={narrow(inRange).length} scope="colgroup">
        <span>{viewHead(view)}</span>
      </th>
      <td />
    </tr>
  );
}

export function HeadRow({ sort, view, more, onSort }: HeadProps) {
  const titleOf = ({ title, inRange }: Column) =>
    inRange && title ? `${title}, ${viewPhrase(view)}` : title;
  return (
    <thead>
      <GroupRow view={view} more={more} />
      <tr>
        {columns.map((column) => (
          <th
            key={column.label}
            className={cx(
              column.number && css.number,
              column.wide && css.wide,
              column.label === traffic && css.spark,
            )}
            title={titleOf(column)}
            aria-sort={
              column.key === sort && column.key ? (column.number ? "descending" : "ascending") : undefined
            }
          >
            <HeadLabel column={column} sort={sort} onSort={onSort} />
          </th>
        ))}
      </tr>
    </thead>
  );
}

function HeadLabel({
  column: { key, label },
  sort,
  onSort,
}: Omit<HeadProps, "view" | "more"> & { column: Column }) {
  if (!key) return label;
  return (
    <button type="button" className={css.sort} data-on={key === sort} onClick={() => onSort(key)}>
      {label}
    </button>
  );
}
