import { FileUp } from "lucide-react";
import type { ModelKind } from "../../api/conch_pb";
import { bytes } from "../../lib/format";
import { Button } from "../../ui/Button";
import { FilesButton } from "../../ui/FilesButton";
import { Named } from "../../ui/Named";
import { useWhyOff } from "../../ui/reach";
import { ErrorBox } from "../../workspace/ErrorBox";
import css from "./NewModelDialog.module.css";
import { discardFiles, type Taken, takeFiles, takeFirst } from "./newModel";

/** The way to a file: a button, and the whole window as a place to drop one. */
export function ChooseFiles({ label = "Choose a model file" }: { label?: string }) {
  return (
    <FilesButton
      icon={<FileUp />}
      needs="app"
      of="Model file"
      onFiles={(files) => void takeFiles([...files])}
    >
      {label}
    </FilesButton>
  );
}

/** What was chosen: while it is sent, and what was wrong with it. */
export function FilesTaken({ taken }: { taken: Taken }) {
  const { names, sent, size, draft, error, each } = taken;
  const off = useWhyOff("app");
  const percent = size === 0 ? 0 : Math.floor((100 * sent) / size);
  return (
    <div className={css.taken}>
      <div className={css.files}>
        <span className={css.fileNames} title={names.join("\n")}>
          {names.join(", ")}
        </span>
        <span className={css.dim}>{size > 0 && bytes(size)}</span>
        <Button small look="ghost" onClick={discardFiles}>
          {draft || error !== undefined ? "Remove" : "Stop"}
        </Button>
      </div>
      {draft === undefined && error === undefined && (
        <>
          <progress className={css.bar} max={100} value={percent} aria-label="Sent to Conch" />
          <p className={css.dim} role="status">
            {off
              ? `${off}: reading waits for it`
              : percent < 100
                ? `${percent} % read`
                : "Reading its inputs and outputs"}
          </p>
        </>
      )}
      {error !== undefined && (
        <ErrorBox title="No model can be made of it" error={error}>
          {each?.map(([first], at) => (
            <Button
              small
              key={first?.name}
              needs="app"
              onClick={() => void takeFirst([...each.slice(at), ...each.slice(0, at)])}
            >
              <Named text={`Make a model of ${first?.name}`} names={[first?.name ?? ""]} />
            </Button>
          ))}
        </ErrorBox>
      )}
    </div>
  );
}

export interface KindsProps {
  kinds: readonly ModelKind[];
  chosen: string;
  onChoose: (backend: string) => void;
}

/** The kinds of a model that begins without a file. The dialog says of the chosen one what it lacks here. */
export function Kinds({ kinds, chosen, onChoose }: KindsProps) {
  return (
    <fieldset className={css.kinds}>
      <legend>Or begin without a file</legend>
      {kinds.map(({ backend, label, note, needs, lacks }) => (
        <label key={backend} className={css.kind}>
          <input
            type="radio"
            name="backend"
            value={backend}
            checked={chosen === backend}
            onChange={() => onChoose(backend)}
          />
          <span>
            {label}
            <small>
              {note}
              {lacks !== "" ? ", not run here" : needs !== "" && ", package missing"}
            </small>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
