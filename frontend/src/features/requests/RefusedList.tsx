/** The rows of refused requests, newest first. There are a hundred at most. */
import type { Refusal } from "../../api/conch_pb";
import { cx } from "../../lib/cx";
import { moment } from "../../lib/format";
import { visible } from "../../lib/visible";
import { inShort } from "../../requests/failed";
import { call, clientsOf, named, onOneLine, reasonOf, times } from "../../requests/refusals";
import { MiddleTruncate } from "../../ui/MiddleTruncate";
import { asSentence } from "../../workspace/workspace";
import css from "./requests.module.css";
import { useMeant } from "./useMeant";

type Props = {
  readonly groups: readonly Refusal[];
  readonly selected: bigint | undefined;
  readonly onSelect: (id: bigint) => void;
};

export function RefusedList({ groups, selected, onSelect }: Props) {
  if (groups.length === 0) return <p className={css.none}>No refused request matches.</p>;
  return (
    <div className={css.scroll}>
      <ul className={css.refused} aria-label="Refused requests, newest first">
        {groups.map((group) => (
          <li key={String(group.id)}>
            <Row group={group} selected={group.id === selected} onSelect={() => onSelect(group.id)} />
          </li>
        ))}
      </ul>
    </div>
  );
}

type RowProps = { readonly group: Refusal; readonly selected: boolean; readonly onSelect: () => void };

function Row({ group, selected, onSelect }: RowProps) {
  const meant = useMeant(group.model);
  const ask = meant ? `; did you mean ${meant}?` : "";
  const reason = onOneLine(reasonOf(group));
  return (
    <button
      type="button"
      className={cx(css.row, css.refusal, selected && css.selected)}
      aria-pressed={selected}
      onClick={onSelect}
    >
      <span className={css.time}>{moment(group.newest[0]?.time ?? group.first)}</span>
      <span className={css.model}>
        <MiddleTruncate text={group.model ? named(group) : call(group)} />
      </span>
      <span className={css.status} title={`${group.port}: ${group.status}`}>
        {group.port} · {group.status}
      </span>
      <span className={css.client} title={clientsOf(group)}>
        {visible(group.newest[0]?.client ?? "")}
      </span>
      <span className={css.took}>{times(group)}</span>
      <span className={css.error} title={`${asSentence(reason)}${ask}`}>
        {asSentence(inShort(reason))}
        {ask}
      </span>
    </button>
  );
}
