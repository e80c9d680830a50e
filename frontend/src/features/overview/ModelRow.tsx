/** One model of the overview's table. */
import type { MouseEvent } from "react";
import { type MetricSummary, ModelState, type ModelSummary } from "../../api/conch_pb";
import { cx } from "../../lib/cx";
import { bytes, grouped, milliseconds, significant } from "../../lib/format";
import { spanOf } from "../../lib/range";
import { useRange } from "../../metrics/range";
import { type Refused, refusedText } from "../../requests/refusals";
import { MiddleTruncate } from "../../ui/MiddleTruncate";
import { goToModel } from "../../window/place";
import { showFailed, showRefused, showSent } from "../../window/refused";
import { useFinding } from "../../workspace/findings";
import { deviceCount } from "../../workspace/gpuText";
import { LoadUnderWay } from "../../workspace/LoadUnderWay";
import { LostGpuMark } from "../../workspace/LostGpu";
import { ProblemBadge } from "../../workspace/ProblemBadge";
import { ProblemText } from "../../workspace/ProblemText";
import { StateIcon, stateWord } from "../../workspace/StateIcon";
import { WrongModels } from "../../workspace/WrongModels";
import { asSentence } from "../../workspace/workspace";
import css from "./overview.module.css";
import { noteOf, serves } from "./rows";
import { Sparkline } from "./Sparkline";

/** The rows of the table's head. */
export const headRows = 2;

type Props = {
  readonly model: ModelSummary;
  readonly index: number;
  readonly removed?: boolean; // it is no longer in the repository
  readonly inRange: MetricSummary | undefined; // what it did in the range; undefined while that is not known
  readonly refused?: Refused | undefined; // requests to it that never ran
  readonly tabbable: boolean; // the row that Tab reaches; arrows move on from there
  readonly onFocus: (index: number) => void;
};

export function ModelRow({ model, index, removed = false, inRange, refused, tabbable, onFocus }: Props) {
  const live = serves(model);
  const acted = (inRange?.requests ?? 0n) > 0n;
  const noted = { ...useNote(model, { removed, acted }), bad: isBad(model) };
  // The note has the room of what it did, where it did nothing.
  const idle = live ? noted.note !== "" && inRange?.requests === 0n : !acted;
  const instances = live && model.instances > 0 ? `${model.instances} on ${model.device}` : "";
  const show = () => (removed ? showSent(model.name) : goToModel(model.name));
  return (
    <tr className={css.row} aria-rowindex={index + headRows + 1} onClick={show}>
      <td>
        <span className={css.name}>
          <StateIcon
            state={removed ? ModelState.UNLOADED : model.state}
            reason={removed ? "removed from the repository" : model.reason}
            since={model.stateSince}
          />
          <button
            type="button"
            className={css.open}
            tabIndex={tabbable ? 0 : -1}
            data-index={index}
            onFocus={() => onFocus(index)}
          >
            <MiddleTruncate text={model.name} />
          </button>
          <ProblemBadge model={model} />
          <WrongModels model={model} />
          <LostGpuMark model={model} />
          <LoadUnderWay model={model} />
        </span>
      </td>
      <td className={cx("dim", css.wide, css.kind)} title={model.kind}>
        {model.kind}
      </td>
      <td className={css.versions}>
        <Versions model={model} />
      </td>
      <td
        className={cx("dim", css.wide, css.devices)}
        title={[instances, model.elsewhere[0]?.badge].filter(Boolean).join("\n")}
      >
        {instances ? `${model.instances} on ${deviceCount(model.device)}` : "–"}
      </td>
      <td className={css.number}>{model.memoryBytes > 0n ? bytes(model.memoryBytes) : "–"}</td>
      <td className={css.number}>{live ? rateText(model.requestsPerSecond) : "–"}</td>
      {idle ? (
        <>
          <Note {...noted} className={css.wide} colSpan={idleSpan + 1} />
          <Note {...noted} className={css.slim} colSpan={idleSpan} />
        </>
      ) : (
        <>
          <td className={cx(css.spark, css.wide)}>{inRange && <Sparkline rates={inRange.rates} />}</td>
          <InRange model={model.name} summary={inRange} />
          {noted.note === "" && refused ? (
            <td className={css.note}>
              <RefusedLink model={model.name} refused={refused} />
            </td>
          ) : (
            <Note {...noted} />
          )}
        </>
      )}
    </tr>
  );
}

/** The note in the words of the problem list where that has it; Triton's own words are in the tooltip. */
function useNote(
  model: ModelSummary,
  { removed, acted }: { readonly removed: boolean; readonly acted: boolean },
): { note: string; whole: string } {
  const reason = noteOf(model);
  const finding = useFinding(model.name, reason);
  if (removed) return { note: "Removed", whole: "The repository no longer has this model" };
  if (acted && model.state === ModelState.UNLOADED)
    return { note: stateWord[model.state], whole: model.reason };
  if (!finding) return { note: asSentence(reason), whole: reason };
  return { note: finding.message, whole: `${finding.message}\n${reason}` };
}

/** Columns of numbers that a model which does nothing leaves to its note; in a wide window that of its traffic too. */
const idleSpan = 5;

type NoteProps = {
  readonly note: string;
  readonly whole: string;
  readonly bad: boolean;
  readonly className?: string | undefined;
  readonly colSpan?: number;
};

const Note = ({ note, whole, bad, className, colSpan }: NoteProps) => (
  <td className={cx(css.note, bad && css.bad, className)} colSpan={colSpan} title={whole}>
    <ProblemText text={note} />
  </td>
);

/** What the model did in the range. Nothing is shown while it is not known. */
function InRange({
  model,
  summary,
}: {
  readonly model: string;
  readonly summary: MetricSummary | undefined;
}) {
  const failures = Number(summary?.failures ?? 0);
  const watched = Number.isFinite(summary?.requestsPerSecond); // else nobody counted, and none is not known
  return (
    <>
      <td className={css.number}>{summary && (watched ? grouped(summary.requests) : "–")}</td>
      <td className={css.number}>{summary && milliseconds(summary.p50Ms)}</td>
      <td className={css.number}>{summary && milliseconds(summary.p99Ms)}</td>
      <td className={cx(css.number, failures > 0 && css.bad)}>
        {summary && failures > 0 ? (
          <Failures model={model} failures={failures} />
        ) : (
          summary && (watched ? "0" : "–")
        )}
      </td>
    </>
  );
}

/** They never ran, so they are no failures of the model. The list has those of the range that the number counts. */
function RefusedLink({ model, refused }: { readonly model: string; readonly refused: Refused }) {
  const show = (event: MouseEvent) => {
    event.stopPropagation();
    showRefused(model, spanOf(useRange.getState().view, Date.now()));
  };
  return (
    <button
      type="button"
      className={css.refused}
      title={`${refusedText(refused)}: the ports refused these requests to ${model} before they ran. Show them`}
      onClick={show}
    >
      {refusedText(refused)}
    </button>
  );
}

/** Leads to the list of them. */
function Failures({ model, failures }: { readonly model: string; readonly failures: number }) {
  const show = (event: MouseEvent) => {
    event.stopPropagation(); // the row leads to the model
    showFailed(model);
  };
  return (
    <button
      type="button"
      className={css.failures}
      title={`Show the requests to ${model} that failed`}
      onClick={show}
    >
      {failures.toLocaleString("en")}
    </button>
  );
}

/** 0 rather than 0.000: no traffic is the common case. */
const rateText = (perSecond: number) => (perSecond > 0 ? significant(perSecond) : "0");

function isBad({ state }: ModelSummary): boolean {
  return [ModelState.FAILED, ModelState.DIED, ModelState.OLDER_SERVES].includes(state);
}

/** Version numbers; those that did not load are red, with the reason. */
function Versions({ model }: { readonly model: ModelSummary }) {
  if (model.versions.length === 0) return "–";
  return model.versions.map(({ number, state, reason }, i) => (
    <span
      key={String(number)}
      className={cx(css.version, [ModelState.FAILED, ModelState.DIED].includes(state) && css.bad)}
      title={reason}
    >
      {i > 0 && <span className="visually-hidden">, </span>}
      {String(number)}
    </span>
  ));
}
