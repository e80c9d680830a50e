/** What happened in the range that the charts show, newest first. */
import { useMemo } from "react";
import type { Notice } from "../../api/conch_pb";
import { Notice_Level } from "../../api/conch_pb";
import { count, moment } from "../../lib/format";
import { Named } from "../../ui/Named";
import css from "./EventList.module.css";
import { levelColor } from "./events";
import { joinRepeated, type Told } from "./told";

type Props = {
  readonly events: readonly Notice[];
  readonly phrase: string;
  readonly limit: number;
  readonly loading: boolean;
};

export function EventList({ events, phrase, limit, loading }: Props) {
  const newestFirst = useMemo(() => joinRepeated(events).slice(0, limit), [events, limit]);
  return (
    <section className={css.card} aria-label="Events">
      <strong className={css.title}>Events</strong>
      {newestFirst.length === 0 ? (
        <span className="dim">{loading ? "Loading…" : `No loads, reloads or failures ${phrase}`}</span>
      ) : (
        <ul className={css.list}>
          {newestFirst.map((told) => (
            <Event key={String(told.newest.id)} {...told} />
          ))}
        </ul>
      )}
    </section>
  );
}

/** An event takes one line: the first of what was said, such as an error without its traceback. The rest is in the tooltip. */
const firstLine = (text: string): string => text.split("\n", 1)[0] ?? "";

function Event({ newest: { level, time, text, model }, first, count: times }: Told) {
  return (
    <li title={text}>
      <Mark level={level} />
      <span className={css.time}>{moment(time)}</span>
      <span className={css.said}>
        <span className={css.text}>
          <Named text={firstLine(text)} names={[model]} />
        </span>
        {times > 1 && (
          <span className={css.times}>
            {count(times, "time")} since {moment(first)}
          </span>
        )}
      </span>
    </li>
  );
}

const words: Record<Notice_Level, string> = {
  [Notice_Level.UNSPECIFIED]: "Event",
  [Notice_Level.INFO]: "Event",
  [Notice_Level.WARNING]: "Warning",
  [Notice_Level.ERROR]: "Failure",
};

/** A triangle for what failed, a dot for the rest. */
function Mark({ level }: { readonly level: Notice_Level }) {
  const failed = level === Notice_Level.ERROR;
  return (
    <svg
      className={css.mark}
      viewBox="0 0 10 10"
      role="img"
      aria-label={words[level]}
      style={{ color: `var(${levelColor(level)})` }}
    >
      {failed ? (
        <path d="M5 1 9.6 9H.4z" fill="currentColor" />
      ) : (
        <circle cx="5" cy="5" r="4" fill="currentColor" />
      )}
    </svg>
  );
}
