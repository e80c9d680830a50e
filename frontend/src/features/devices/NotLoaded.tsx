import { useState } from "react";
import { ModelState, type ModelSummary } from "../../api/conch_pb";
import { describeError } from "../../api/errors";
import { useModel } from "../../api/queries";
import { cx } from "../../lib/cx";
import { bytes, count } from "../../lib/format";
import { Button } from "../../ui/Button";
import { Row, Rows } from "../../ui/Rows";
import { useBetterReason } from "../../workspace/findings";
import { ProblemText } from "../../workspace/ProblemText";
import { useRoom } from "../../workspace/useRoom";
import css from "./devices.module.css";

/** A model that is not loaded: how much its files are, and where that would fit, or why its last load failed though there was room. */
function Idle({ model }: { readonly model: ModelSummary }) {
  const { data, error } = useModel(model.name);
  const room = useRoom(data);
  const unread = !room && error && `its files could not be read: ${describeError(error).message}`;
  const lacking = room?.on?.length === 0;
  const useful = useBetterReason(model);
  const failed = model.state === ModelState.FAILED && (useful ?? (lacking ? undefined : model.reason));
  return (
    <Row
      what={
        <>
          <strong className="mono">{model.name}</strong>
          <small
            className={cx((lacking || failed || unread) && css.warn, css.why)}
            title={failed ? model.reason : undefined}
          >
            <ProblemText
              text={[
                model.state === ModelState.UNTRUSTED && "runs code that is not trusted",
                room ? `files ${bytes(room.needs)}` : (unread ?? "…"),
                failed ? `its last load failed: ${failed}` : room?.text,
              ]
                .filter(Boolean)
                .join(" · ")}
            />
          </small>
        </>
      }
    />
  );
}

/** Each row asks for the files of its model. */
const rowsAtOnce = 50;

export function NotLoaded({ models }: { readonly models: readonly ModelSummary[] }) {
  const [shown, setShown] = useState(rowsAtOnce);
  if (models.length === 0) return null;
  const left = models.length - shown;
  return (
    <>
      <h3>{count(models.length, "model")} not loaded</h3>
      <Rows>
        {models.slice(0, shown).map((model) => (
          <Idle key={model.name} model={model} />
        ))}
      </Rows>
      {left > 0 && (
        <p className={css.note}>
          {count(left, "more model")}{" "}
          <Button small onClick={() => setShown(shown + rowsAtOnce)}>
            Show {Math.min(left, rowsAtOnce)} more
          </Button>
        </p>
      )}
    </>
  );
}
