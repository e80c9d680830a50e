/** The requests that both models answer, beside the saved ones. */
import type { GetModelResponse, InferRequest } from "../../api/conch_pb";
import { bytes } from "../../lib/format";
import { buildRequest } from "../../requests/request";
import { getTry, type ModelTry } from "../../requests/tries";
import { fitDraft, randomOf, slotsOf } from "../../requests/tryDrafts";
import type { Choice } from "./choice";

/** What is entered in Try, with other values: random ones, of the same types and shapes. */
function withRandom(model: GetModelResponse, entered: ModelTry, seed: number): ModelTry {
  const slots = slotsOf(model.inputs, model.maxBatchSize, entered.batch);
  const inputs = slots.map((slot) => {
    const draft = fitDraft(slot, entered.inputs[slot.spec.name]);
    const random = { ...randomOf(slot, draft), seed: seed + slot.place };
    return [slot.spec.name, { ...draft, source: "random" as const, random, unfinished: undefined }];
  });
  return { ...entered, mode: "form", batchTyped: undefined, inputs: Object.fromEntries(inputs) };
}

const seedStep = 1000; // inputs of two requests never have the same seed

/** How much requests may hold together: all of it is in memory, here and in the program, which takes no larger message. */
export const mostBytes = 500 * 1024 ** 2;

const sizeOf = ({ inputs }: InferRequest): number =>
  inputs.reduce((sum, { data }) => sum + (data.value?.length ?? 0), 0);

/** Random requests to a model, the same ones each time. Throws an Error where they would be too large together, before all are made. */
export async function randomRequests(model: GetModelResponse, entered: ModelTry, count: number) {
  const list: InferRequest[] = [];
  for (let i = 0; i < count; i++) {
    const next = await buildRequest(model, withRandom(model, entered, 1 + i * seedStep));
    const all = sizeOf(next) * count;
    if (all > mostBytes)
      throw new Error(
        `${count} random requests have ${bytes(all)} together, and ${bytes(mostBytes)} are the most: ask for fewer, or set a smaller batch in Try`,
      );
    list.push(next);
  }
  return list;
}

/** The chosen requests of Try, and random ones. Throws an Error that says what they lack. */
export async function typedRequests(
  { typed, random }: Pick<Choice, "typed" | "random">,
  details: () => Promise<GetModelResponse>,
): Promise<InferRequest[]> {
  if (!typed && random === 0) return [];
  const model = await details();
  const entered = getTry(model.summary?.name ?? "");
  const now = typed ? [await buildRequest(model, entered)] : [];
  return [...now, ...(await randomRequests(model, entered, random))];
}
