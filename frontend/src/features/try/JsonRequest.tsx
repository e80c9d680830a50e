/** The request as text. */
import { useMemo } from "react";
import { fromJson } from "../../requests/json";
import { patchTry, tryOf, useTries } from "../../requests/tries";
import css from "./try.module.css";
import { useLatest } from "./useLatest";

export function JsonRequest({ model }: { readonly model: string }) {
  const { json, jsonEdited } = useTries(tryOf(model));
  const check = useMemo(
    () => (jsonEdited ? () => fromJson(model, json) : undefined),
    [model, json, jsonEdited],
  );
  const problem = useLatest(check)?.problem?.message ?? "";
  return (
    <div className={css.json}>
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
