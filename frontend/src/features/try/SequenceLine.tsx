/** What the form's request has beside its tensors. */
import { useEffect } from "react";
import { afterLoad, parametersText, type Sequence, withoutSequence } from "../../requests/parameters";
import { patchTry, tryOf, useTries } from "../../requests/tries";
import { Button } from "../../ui/Button";
import { useModelSummary } from "../../workspace/workspace";
import css from "./inputs.module.css";

type Props = {
  readonly model: string;
  readonly text: boolean; // correlation IDs are texts
};

/** The place of the request in a sequence. An answer makes the next request go on in it; after a load it is the first again. */
export function SequenceLine({ model, text }: Props) {
  const entered = useTries((state) => tryOf(model)(state).sequence);
  const load = useModelSummary(model)?.loaded ?? 0n;
  const sequence = afterLoad(entered, load);
  const change = (part: Partial<Sequence>) => patchTry(model, { sequence: { ...sequence, ...part, load } });
  useEffect(() => {
    if (sequence !== entered) patchTry(model, { sequence });
  });
  const isNone = sequence.id === "" || (sequence.id === "0" && !text);
  return (
    <div className={css.batch}>
      <div className={css.batchLine}>
        <label className={`${css.field} ${css.long}`}>
          <span>Sequence</span>
          <input
            autoComplete="off"
            aria-invalid={isNone}
            size={Math.min(Math.max(8, sequence.id.length + 1), 40)} // a UUID has 36
            value={sequence.id}
            onChange={(event) => change({ id: event.target.value.trim(), isText: false })}
          />
        </label>
        <label className={css.check}>
          <input
            type="checkbox"
            checked={sequence.start}
            onChange={(event) => change({ start: event.target.checked })}
          />
          first request
        </label>
        <label className={css.check}>
          <input
            type="checkbox"
            checked={sequence.end}
            onChange={(event) => change({ end: event.target.checked })}
          />
          last request
        </label>
      </div>
      {isNone && (
        <p className={css.problem} role="alert">
          {text ? "A sequence needs a correlation ID" : noNumber}
        </p>
      )}
    </div>
  );
}

const noNumber =
  "A sequence needs a correlation ID: a number other than 0, or a text where the config says TYPE_STRING";

/** What was typed as JSON, or came from the history, and has no field here. It is sent. With a line for the sequence, that has its fields. */
export function ParametersLine({ model, sequence }: { readonly model: string; readonly sequence: boolean }) {
  const { id, parameters: all } = useTries(tryOf(model));
  const parameters = sequence ? withoutSequence(all) : all;
  const texts = id ? [`id ${JSON.stringify(id)}`] : [];
  if (Object.keys(parameters).length > 0) texts.push(`parameters ${parametersText(parameters)}`);
  if (texts.length === 0) return null;
  return (
    <div className={css.ways}>
      <span className={css.hint}>Also sent: {texts.join(" and ")}</span>
      <Button small onClick={() => patchTry(model, { id: "", parameters: {} })}>
        Leave out
      </Button>
    </div>
  );
}
