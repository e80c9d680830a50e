/** From what was entered to a request, and from a request to its answer. */
import { create } from "@bufbuild/protobuf";
import { clients } from "../../api/client";
import { type GetModelResponse, type InferRequest, InferRequestSchema } from "../../api/conch_pb";
import { keys, queryClient } from "../../api/queries";
import { getTry, type ModelTry, patchTry, versionToAsk } from "../../requests/tries";
import { buildInput, fitDraft } from "../../requests/tryDrafts";
import { toast } from "../../window/toasts";
import { whyOff } from "../../workspace/workspace";
import { fromJson } from "./json";

/** An input that could not be made into a tensor; the form shows the message beside it. */
export class InputError extends Error {
  readonly input: string;
  constructor(input: string, message: string) {
    super(`Input "${input}": ${message}`);
    this.input = input;
  }
}

/** The request as it stands. Throws an InputError, or a plain Error in JSON mode. */
export function buildRequest(model: GetModelResponse, entered: ModelTry): InferRequest {
  const name = model.summary?.name ?? "";
  const version = versionToAsk(entered, model.summary?.versions ?? []);
  if (entered.mode === "json") return { ...fromJson(name, entered.json), version };
  const inputs = model.inputs
    .map((spec) => ({ spec, draft: fitDraft(spec, entered.inputs[spec.name]) }))
    .filter(({ draft }) => !draft.skip)
    .map(({ spec, draft }) => {
      try {
        return buildInput(spec, draft);
      } catch (error) {
        throw new InputError(spec.name, (error as Error).message);
      }
    });
  return create(InferRequestSchema, { model: name, version, inputs });
}

/** Sends what is entered and keeps the answer beside it. One at a time for each model. */
export async function send(model: GetModelResponse): Promise<void> {
  const name = model.summary?.name ?? "";
  const entered = getTry(name);
  if (entered.sending) return;
  const off = whyOff("engine");
  if (off) {
    toast({ level: "warning", text: "The request was not sent", detail: `${off}.` });
    return;
  }
  const at = Date.now();
  patchTry(name, { sending: true });
  try {
    const response = await clients.tryIt.infer({
      ...buildRequest(model, entered),
      keepTensors: entered.keepTensors,
    });
    patchTry(name, { sending: false, answer: { at, response } });
  } catch (failure) {
    patchTry(name, { sending: false, answer: { at, failure } });
  }
  void queryClient.invalidateQueries({ queryKey: keys.history(name) });
  void queryClient.invalidateQueries({ queryKey: keys.history("") });
}
