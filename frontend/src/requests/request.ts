/** The request that is entered for a model. */
import { create } from "@bufbuild/protobuf";
import {
  type GetModelResponse,
  type InferInput,
  InferInputSchema,
  type InferRequest,
  InferRequestSchema,
} from "../api/conch_pb";
import { elementCount } from "../lib/tensor";
import { buildInput } from "./building";
import { fromJson } from "./json";
import { withSequence } from "./parameters";
import { NothingYet } from "./parts";
import { type ModelTry, versionToAsk } from "./tries";
import { sentOf, slotsOf } from "./tryDrafts";

/** Why an input could not be made into a tensor. */
export type InputProblem = {
  readonly input: string;
  readonly message: string;
  readonly empty?: boolean; // nothing was given yet
};

/** All inputs that could not be made into tensors; the form shows each message beside its input. */
export class InputsError extends Error {
  readonly problems: readonly InputProblem[];
  constructor(problems: readonly InputProblem[]) {
    super(problems.map(({ input, message }) => `Input "${input}": ${message}`).join("\n"));
    this.problems = problems;
  }
}

/** The field of the batch holds no number; it says so itself too. */
export class BatchError extends Error {}

/** The request as it stands. Throws an InputsError, or a plain Error in JSON mode. */
export async function buildRequest(model: GetModelResponse, entered: ModelTry): Promise<InferRequest> {
  const name = model.summary?.name ?? "";
  const version = versionToAsk(entered, model.summary?.versions ?? []);
  if (entered.mode === "json") return { ...(await fromJson(name, entered.json)), version };
  const slots = slotsOf(model.inputs, model.maxBatchSize, entered.batch);
  if (entered.batchTyped && slots.some(({ batch }) => batch !== undefined))
    throw new BatchError(entered.batchTyped.problem);
  const inputs: InferInput[] = [];
  const problems: InputProblem[] = [];
  for (const [slot, draft] of sentOf(slots, entered.inputs)) {
    try {
      inputs.push(await buildInput(slot, draft));
    } catch (error) {
      problems.push({
        input: slot.spec.name,
        message: (error as Error).message,
        empty: error instanceof NothingYet,
      });
    }
  }
  if (problems.length > 0) throw new InputsError(problems);
  return create(InferRequestSchema, { model: name, version, inputs, ...besides(model, entered) });
}

/** What the form's request has beside its tensors. */
function besides(model: GetModelResponse, { id, parameters, sequence }: ModelTry) {
  const place = model.textSequence ? { ...sequence, isText: true } : sequence;
  return { id, parameters: { ...(model.needsSequence ? withSequence(parameters, place) : parameters) } };
}

const mostAsText = 100_000; // elements; a text of more would stop the window for seconds

/** The form's request as it can be read and edited: inputs that are not complete, or very large, have no values. */
export async function requestSoFar(model: GetModelResponse, entered: ModelTry): Promise<InferRequest> {
  const slots = slotsOf(model.inputs, model.maxBatchSize, entered.batch);
  const inputs = sentOf(slots, entered.inputs).map(async ([slot, draft]) => {
    const { name, datatype } = slot.spec;
    const empty = create(InferInputSchema, { name, datatype, shape: draft.shape.map(BigInt) });
    if (elementCount(draft.shape) > mostAsText) return empty;
    try {
      return await buildInput(slot, draft);
    } catch {
      return empty;
    }
  });
  return create(InferRequestSchema, {
    model: model.summary?.name ?? "",
    inputs: await Promise.all(inputs),
    ...besides(model, entered),
  });
}
