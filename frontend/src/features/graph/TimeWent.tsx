/** Where the time of the last request went, step by step. */
import { Flame } from "lucide-react";
import type { InferResponse } from "../../api/conch_pb";
import { cx } from "../../lib/cx";
import { milliseconds } from "../../lib/format";
import { hasProfileOf } from "../../requests/profiles";
import { tryOf, useTries } from "../../requests/tries";
import { Button } from "../../ui/Button";
import { MiddleTruncate } from "../../ui/MiddleTruncate";
import { goToModel } from "../../window/place";
import { partPhrase, StageLegend, StageParts } from "../../workspace/StageBar";
import { hasProcesses } from "../../workspace/workers";
import { useModelSummary } from "../../workspace/workspace";
import css from "./graph.module.css";
import { type Row, type Waterfall, waterfallOf } from "./waterfall";

const rowHeight = 26;
const reservedRows = 2; // before the first answer the graph needs the room more

type Props = {
  readonly model: string;
  /** Sends the request again, and leads to where the time of a step goes in its program. */
  readonly onProfile?: ((step: string) => void) | undefined;
};

export function TimeWent({ model, onProfile }: Props) {
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
        {fall ? (
          <Rows fall={fall} response={answer.response} onProfile={onProfile} />
        ) : (
          <Nothing asked={answer?.response !== undefined} />
        )}
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

type ProfileProps = {
  readonly step: string;
  readonly response: InferResponse | undefined;
  readonly onProfile: Props["onProfile"];
};

/** The way to where the time of a step went in its program, which is asked for where the last request did not. */
function ProfileLink({ step, response, onProfile }: ProfileProps) {
  const summary = useModelSummary(step);
  const there = hasProfileOf(response, step);
  if (!summary || !hasProcesses(summary) || !(there || onProfile)) return null;
  return (
    <Button
      small
      look="ghost"
      className={css.rowProfile}
      icon={<Flame />}
      needs={there ? "app" : "engine"}
      aria-label={`Profile of ${step}`}
      title={
        there
          ? `Show where the time went in ${step}`
          : `Send the request again, and show where its time goes in ${step}`
      }
      onClick={() => (there ? goToModel(step, "debug") : onProfile?.(step))}
    />
  );
}

type RowsProps = {
  readonly fall: Waterfall;
  readonly response: InferResponse | undefined;
  readonly onProfile: Props["onProfile"];
};

function Rows({ fall, response, onProfile }: RowsProps) {
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
            <ProfileLink step={row.name} response={response} onProfile={onProfile} />
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
