import { patchInput, patchTry } from "../../requests/tries";
import type { InputDraft } from "../../requests/tryDrafts";

/** Whether a change says what is sent: a file that was refused before it is another matter then. */
const isGiven = (patch: Partial<InputDraft>) =>
  ["source", "values", "drawing", "files", "random"].some((key) => key in patch);

/** Changes an input, and the request's batch where that follows from the change; `draft` is what it was before. */
export function changeInput(
  model: string,
  name: string,
  draft: InputDraft,
  patch: Partial<InputDraft>,
  batch?: number,
): void {
  patchInput(model, name, draft, { ...patch, ...(isGiven(patch) && { refused: undefined }) });
  if (batch !== undefined) patchTry(model, { batch, batchTyped: undefined });
}
