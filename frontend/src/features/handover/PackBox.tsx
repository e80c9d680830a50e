import type { ExportEnvironment, PrepareExportResponse } from "../../api/conch_pb";
import { bytes } from "../../lib/format";
import css from "./HandoverDialog.module.css";

/** How many models are named before they are only counted. */
const NAMED = 5;

const told = ({ model, of, bytes: size }: ExportEnvironment): string =>
  `${model} (${of}, ${size > 0n ? bytes(size) : "its packages are downloaded"})`;

/** Which environments are packed, and what the copy takes. */
function Weight({ of }: { of: PrepareExportResponse }) {
  const named = of.environments.slice(0, NAMED).map(told).join(", ");
  const more = of.environments.length - NAMED;
  return (
    <span>
      Copies the repository ({bytes(of.bytes)} without environments) and packs the environment of {named}
      {more > 0 && ` and ${more} more`}. The repository itself stays as it is.
    </span>
  );
}

interface Props {
  /** Undefined while nothing was prepared yet. */
  of: PrepareExportResponse | undefined;
  checked: boolean;
  onChange: (checked: boolean) => void;
}

/** Whether Python environments are packed; it says for which models, or why there is nothing to pack. */
export function PackBox({ of, checked, onChange }: Props) {
  const nothing = of === undefined || of.environments.length === 0;
  return (
    <div className={css.pack}>
      <label className={css.check}>
        <input
          type="checkbox"
          aria-describedby="pack-hint"
          checked={checked && !nothing}
          disabled={nothing}
          onChange={({ target }) => onChange(target.checked)}
        />
        Pack Python environments
      </label>
      <small id="pack-hint" className={css.hint}>
        {of && !nothing && <Weight of={of} />}
        {of && nothing && "No Python model has a .venv or a requirements.txt, so there is nothing to pack."}
      </small>
    </div>
  );
}
