/** Where the time of the last request went, step by step. */
import { cx } from "../../lib/cx";
import { milliseconds } from "../../lib/format";
import { tryOf, useTries } from "../../requests/tries";
import { MiddleTruncate } from "../../ui/MiddleTruncate";
import { partPhrase, StageLegend, StageParts } from "../../workspace/StageBar";
import css from "./graph.module.css";
import { type Row, type Waterfall, waterfallOf } from "./waterfall";

const rowHeight = 26;
const reservedRows = 2; // before the first answer the graph needs the room more

type Props = { readonly model: string };

export function TimeWent({ model }: Props) {
  const answer = useTries((state) => tryOf(model)(state).answer);
  const fall = answer?.response && waterfallOf(answer.response);
  return (
    <section className={css.bottom} aria-label="Where the time went">
      <header className={css.bottomHead}>
        <strong>Where the time went</strong>
        {fall && (
          <span className="dim" title={fall.phrase}>
            {milliseconds(fall.totalMs)}, {fall.phrase}
          </span>
        )}
        <span className={css.legend}>
          <StageLegend />
        </span>
      </header>
      <div style={{ minHeight: reservedRows * rowHeight }}>
        {fall ? <Rows fall={fall} /> : <Nothing asked={answer?.response !== undefined} />}
      </div>
    </section>
  );
}

function Nothing({ asked }: { readonly asked: boolean }) {
  return (
    <p className="dim">
      {asked
        ? "The last request has no times for its steps."
        : "Send a request, and each step's time is drawn here."}
    </p>
  );
}

const tookOf = ({ running, error, givenUp, ms }: Row) => {
  if (error) return "failed";
  if (givenUp) return "given up";
  return running ? "runs on" : milliseconds(ms);
};

/** What a row says beside its times: where the request failed, why. */
const titleOf = ({ error, parts }: Row) => (error ? `The request failed here: ${error}` : partPhrase(parts));

function Rows({ fall }: { readonly fall: Waterfall }) {
  return (
    <ul className={css.rows}>
      {fall.rows.map((row) => (
        <li
          key={row.step}
          style={{ height: rowHeight }}
          aria-label={`${[row.name, row.which].filter(Boolean).join(" ")}: ${tookOf(row)}`}
          title={titleOf(row)}
        >
          <span className={css.rowName}>
            <MiddleTruncate text={row.name} />
            {row.which && <span className={css.rowWhich}>{row.which}</span>}
          </span>
          <span className={css.rowTrack}>
            <span className={css.rowBar} style={{ left: `${row.left}%`, width: `${row.width}%` }}>
              <StageParts parts={row.parts} />
            </span>
          </span>
          <span className={cx(css.rowTime, row.error && css.rowFailed)}>{tookOf(row)}</span>
        </li>
      ))}
    </ul>
  );
}
