/** Where an answer begins to be read. */
import type { InferResponse } from "../../api/conch_pb";
import type { Answer } from "../../requests/tries";
import { keepScroll } from "../../window/kept";

/** The name of the place in the answer of a model. */
export const scrollName = (model: string): string => `answer ${model}`;

/** What of an answer takes room: its outputs with their types and shapes. Nothing of one that failed, or whose answers come one by one. */
function form(answer: Answer | undefined): string | undefined {
  const response = answer?.response;
  if (!response?.ok || answer?.parts) return undefined;
  return response.outputs.map(outputForm).join("\n");
}

const outputForm = ({ name, datatype, shape }: InferResponse["outputs"][number]): string =>
  `${name} ${datatype} ${shape.join()}`;

/**
 * An answer is read from its beginning. Only where it has the form of the one before does the reader stay at the same
 * place: who sends again with other values compares what is in sight.
 */
export function beginAnswer(model: string, before: Answer | undefined, now: Answer): void {
  const same = form(before) !== undefined && form(before) === form(now);
  if (!same) keepScroll(scrollName(model), 0);
}
