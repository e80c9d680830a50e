/** One model of the overview's table. */
import { ModelState, type ModelSummary } from "../../api/conch_pb";
import { cx } from "../../lib/cx";
import { bytes, significant } from "../../lib/format";
import type { View } from "../../lib/range";
import { MiddleTruncate } from "../../ui/MiddleTruncate";
import { goToModel } from "../../window/place";
import { LoadUnderWay } from "../../workspace/LoadUnderWay";
import { ProblemBadge } from "../../workspace/ProblemBadge";
import { StateIcon } from "../../workspace/StateIcon";
import { WrongModels } from "../../workspace/WrongModels";
import { asSentence } from "../../workspace/workspace";
import css from "./overview.module.css";
import { noteOf, serves } from "./rows";
import { Sparkline } from "./Sparkline";

type Props = {
  readonly model: ModelSummary;
  readonly index: number;
  readonly view: View;
  readonly tabbable: boolean; // the row that Tab reaches; arrows move on from there
  readonly onFocus: (index: number) => void;
};

export function ModelRow({ model, index, view, tabbable, onFocus }: Props) {
  const live = serves(model);
  const note = noteOf(model);
  return (
    <tr className={css.row} aria-rowindex={index + 2} onClick={() => goToModel(model.name)}>
      <td>
        <span className={css.name}>
          <StateIcon state={model.state} reason={model.reason} since={model.stateSince} />
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
          <LoadUnderWay model={model} />
        </span>
      </td>
      <td className={cx("dim", css.wide)}>{model.kind}</td>
      <td>
        <Versions model={model} />
      </td>
      <td className={cx("dim", css.wide)}>
        {live && model.instances > 0 ? `${model.device || "CPU"} × ${model.instances}` : "–"}
      </td>
      <td className={css.number}>{model.memoryBytes > 0n ? bytes(model.memoryBytes) : "–"}</td>
      <td className={cx(css.spark, css.wide)}>{live && <Sparkline model={model.name} view={view} />}</td>
      {live && <Numbers model={model} />}
      <td className={cx(css.note, isBad(model) && css.bad)} colSpan={live ? 1 : idleSpan} title={note}>
        {asSentence(note)}
      </td>
    </tr>
  );
}

/** Columns of numbers that a model which does not serve leaves to its note. */
const idleSpan = 5;

function Numbers({ model }: { readonly model: ModelSummary }) {
  return (
    <>
      <td className={css.number}>{rateText(model.requestsPerSecond)}</td>
      <td className={css.number}>{significant(model.p50Ms, 3)}</td>
      <td className={css.number}>{significant(model.p99Ms, 3)}</td>
      <td className={cx(css.number, model.failures > 0n && css.bad)}>{String(model.failures)}</td>
    </>
  );
}

/** 0 rather than 0.000: no traffic is the common case. */
const rateText = (perSecond: number) => (perSecond > 0 ? significant(perSecond) : "0");

function isBad({ state }: ModelSummary): boolean {
  return state === ModelState.FAILED || state === ModelState.OLDER_SERVES;
}

/** Version numbers; those that did not load are red, with the reason. */
function Versions({ model }: { readonly model: ModelSummary }) {
  if (model.versions.length === 0) return "–";
  return model.versions.map(({ number, state, reason }) => (
    <span
      key={String(number)}
      className={cx(css.version, state === ModelState.FAILED && css.bad)}
      title={reason}
    >
      {String(number)}
    </span>
  ));
}
