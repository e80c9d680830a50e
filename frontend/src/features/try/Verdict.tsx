/** What is wrong with an input, with the ways out; or what happens to it that is not seen at once. */
import { useMemo } from "react";
import { type Plan, planOf } from "../../requests/building";
import { NothingYet, RefusedFile } from "../../requests/parts";
import { RowsError } from "../../requests/rows";
import type { InputDraft, Slot } from "../../requests/tryDrafts";
import type { InputProps } from "./inputProps";
import css from "./inputs.module.css";
import { useLatest } from "./useLatest";

type Judged = { readonly plan?: Plan; readonly problem?: Error };

function judge(slot: Slot, draft: InputDraft): Judged {
  try {
    return { plan: planOf(slot, draft) };
  } catch (problem) {
    return { problem: problem as Error };
  }
}

type Standing = {
  readonly checking: boolean; // a long text is being read
  readonly problem: Error | undefined;
  readonly repeated: number | undefined;
};

/** How an input stands: what is wrong with it, if that is known. */
export function useStanding({ slot, draft }: InputProps): Standing {
  const judged = useMemo(() => (draft.skip ? {} : judge(slot, draft)), [slot, draft]);
  const later = useLatest(judged.plan?.later);
  return {
    checking: judged.plan?.later !== undefined && !later,
    problem: judged.problem ?? later?.problem,
    repeated: judged.plan?.repeated ?? later?.value?.repeated,
  };
}

type Props = InputProps & { readonly standing: Standing; readonly insisted: boolean };

export function Verdict({ slot, draft, onChange, standing, insisted }: Props) {
  const { checking, problem, repeated } = standing;
  if (checking) return <p className={css.hint}>Checking the values</p>;
  if (problem instanceof NothingYet && !insisted) return null;
  if (problem) {
    return (
      <div className={css.verdict}>
        <p className={css.problem} role="alert">
          {problem.message}
        </p>
        {problem instanceof RefusedFile && <Keep draft={draft} onChange={onChange} />}
        {problem instanceof RowsError && <WaysOut rows={problem} slot={slot} onChange={onChange} />}
      </div>
    );
  }
  if (repeated === undefined) return null;
  return (
    <div className={css.verdict}>
      <p className={css.hint}>
        {repeated === 1
          ? `Sent ${slot.batch} times, once for each row of the batch`
          : "Repeated in turn until the batch is full"}
      </p>
      <button type="button" className={css.link} onClick={() => onChange({ repeat: false })}>
        Do not repeat
      </button>
    </div>
  );
}

/** Sends what was given before the file that was refused, where something was. */
function Keep({ draft: { source, files = [] }, onChange }: Pick<InputProps, "draft" | "onChange">) {
  const [first] = files;
  if (source === "file" && !first) return null;
  const what =
    source !== "file" ? "what is there" : files.length > 1 ? `the ${files.length} files` : first?.name;
  return (
    <button type="button" className={css.link} onClick={() => onChange({ refused: undefined })}>
      Keep {what}
    </button>
  );
}

type WaysProps = Pick<InputProps, "slot" | "onChange"> & { readonly rows: RowsError };

function WaysOut({ rows, slot, onChange }: WaysProps) {
  const { given, wanted } = rows;
  if (slot.batch === undefined || given === 0) return null;
  return (
    <>
      {given < wanted && (
        <button type="button" className={css.link} onClick={() => onChange({ repeat: true })}>
          Repeat
        </button>
      )}
      <button type="button" className={css.link} onClick={() => onChange({}, given)}>
        Set the batch size to {given}
      </button>
    </>
  );
}
