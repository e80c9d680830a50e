/** The request as text. */
import type { GetModelResponse } from "../../api/conch_pb";
import { patchTry, tryOf, useTries } from "../../requests/tries";
import { buildRequest } from "./send";
import css from "./try.module.css";

const maxChecked = 200_000; // characters; longer text is judged when it is sent

type Props = { readonly model: string; readonly details: GetModelResponse };

export function JsonRequest({ model, details }: Props) {
  const entered = useTries(tryOf(model));
  const problem =
    entered.jsonEdited && entered.json.length < maxChecked
      ? problemOf(() => buildRequest(details, entered))
      : "";
  return (
    <div className={css.json}>
      <textarea
        className={css.area}
        aria-label="Request as JSON"
        aria-invalid={problem !== ""}
        spellCheck={false}
        rows={16}
        wrap="off"
        value={entered.json}
        onChange={(event) => patchTry(model, { json: event.target.value, jsonEdited: true })}
      />
      <p className={problem ? css.problem : css.hint}>
        {problem ||
          'As in the KServe protocol; bytes that are no text are {"b64": "…"}. The engine checks names and shapes.'}
      </p>
    </div>
  );
}

function problemOf(build: () => unknown): string {
  try {
    build();
    return "";
  } catch (error) {
    return (error as Error).message;
  }
}
