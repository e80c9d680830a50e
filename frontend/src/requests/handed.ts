/** The form's request as it was handed over to be edited as JSON, and what of it comes back. Pure functions. */
import type { InferInput, InferRequest } from "../api/conch_pb";
import { formOf, type ModelTry } from "./tries";

/** The inputs that were handed over without their values: not complete in the form, or too large to be text. */
export const withoutValues = (handed: InferRequest | undefined): readonly string[] =>
  (handed?.inputs ?? []).filter(({ data }) => data.case === undefined).map(({ name }) => name);

const bytesOf = ({ data }: InferInput): Uint8Array => (data.case === "raw" ? data.value : new Uint8Array());

function isSame(a: InferInput, b: InferInput): boolean {
  if (a.datatype !== b.datatype || a.shape.join() !== b.shape.join()) return false;
  const [one, other] = [bytesOf(a), bytesOf(b)];
  return one.length === other.length && one.every((byte, i) => byte === other[i]);
}

type Entered = Pick<ModelTry, "inputs" | "batch" | "batchTyped" | "handed">;

/** The form after its request was edited as JSON. An input that was left alone is as it was: half typed, a file, a drawing. */
export function takenBack(edited: InferRequest, entered: Entered): ReturnType<typeof formOf> {
  const form = formOf(edited);
  const inputs = { ...form.inputs };
  for (const input of edited.inputs) {
    const before = entered.handed?.inputs.find(({ name }) => name === input.name);
    if (!before || !isSame(before, input)) continue;
    const draft = entered.inputs[input.name];
    if (draft) inputs[input.name] = draft;
    else delete inputs[input.name]; // nobody touched it in the form either
  }
  const sameBatch = form.batch === entered.batch;
  return { ...form, inputs, batchTyped: sameBatch ? entered.batchTyped : undefined };
}
