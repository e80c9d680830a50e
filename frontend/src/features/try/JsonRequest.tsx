/** The request as text. */
import { useMemo } from "react";
import { withoutValues } from "../../requests/handed";
import { fromJson } from "../../requests/json";
import { patchTry, tryOf, useTries } from "../../requests/tries";
import css from "./try.module.css";
import { useLatest } from "./useLatest";

export function JsonRequest({ model }: { readonly model: string }) {
  const { json, jsonEdited, handed } = useTries(tryOf(model));
  const check = useMemo(
    () => (jsonEdited ? () => fromJson(model, json) : undefined),
    [model, json, jsonEdited],
  );
  const problem = useLatest(check)?.problem?.message ?? "";
  return (
    <div className={css.json}>
      <Missing names={withoutValues(handed)} />
      <textarea
        className={css.area}
        aria-label="Request as JSON"
        aria-invalid={problem !== ""}
        spellCheck={false}
        rows={16}
        wrap="off"
        value={json}
        onChange={(event) => patchTry(model, { json: event.target.value, jsonEdited: true })}
      />
      <p className={problem ? css.problem : css.hint}>
        {problem ||
          'As in the KServe protocol; bytes that are no text are {"b64": "…"}. The engine checks names and shapes.'}
      </p>
    </div>
  );
}

/** What of the form this text does not hold. */
function Missing({ names }: { readonly names: readonly string[] }) {
  if (names.length === 0) return null;
  const one = names.length === 1;
  return (
    <p className={css.hint} role="note">
      <b>{names.join(", ")}</b> {one ? "has" : "have"} no values here: {one ? "it is" : "they are"} not
      complete in the form, or too large for a text. The form keeps what it holds of {one ? "it" : "them"},
      unless {one ? "it is" : "they are"} changed here.
    </p>
  );
}
