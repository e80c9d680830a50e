/** What a request has beside its tensors: the place in a sequence, and parameters. Pure functions. */
import { create } from "@bufbuild/protobuf";
import {
  type InferRequest,
  type InferResponse,
  type RequestParameter,
  RequestParameterSchema,
} from "../api/conch_pb";

export type Parameters = Readonly<Record<string, RequestParameter>>;

/** The sequence that the form's request belongs to. */
export type Sequence = {
  readonly id: string; // a number, or a text for models that take one
  readonly isText?: boolean; // though it may have digits alone
  readonly start: boolean;
  readonly end: boolean;
  readonly load?: bigint; // the model was loaded then or before, when the request was entered; a later load ends all sequences
};

export const firstOfSequence: Sequence = { id: "1", start: true, end: false };

/** After an answer: the next request goes on, and after the last one the next is the first of a sequence again. */
export const afterAnswer = (sent: Sequence, load?: bigint): Sequence => ({
  ...sent,
  start: sent.end,
  end: false,
  ...(load && { load }),
});

/** A model that was loaded since knows no sequences: the next request is the first one. 0 means that nobody knows of loads. */
export const afterLoad = (entered: Sequence, load: bigint): Sequence =>
  load && entered.load && entered.load < load ? { ...entered, start: true, load } : entered;

/** Whether a server refused a request since it does not know its sequence. */
export const isUnknown = (error: string): boolean => /must specify the START flag/.test(error);

/** The place of the next request. A server that does not know the sequence, such as after a pause that ended it, takes one that begins it again. */
export function afterResponse(
  sent: Sequence,
  { ok, error }: Pick<InferResponse, "ok" | "error">,
  load?: bigint,
): Sequence {
  if (ok) return afterAnswer(sent, load);
  return isUnknown(error) ? { ...sent, start: true } : sent;
}

const ofSequence = ["sequence_id", "sequence_start", "sequence_end"];

/** A sequence as the parameters of a request. */
export function withSequence(parameters: Parameters, { id, isText, start, end }: Sequence): Parameters {
  const number = !isText && /^\d+$/.test(id) && BigInt(id) < 2n ** 64n;
  const flags = { ...(start && { sequence_start: true }), ...(end && { sequence_end: true }) };
  return { ...withoutSequence(parameters), ...written({ sequence_id: number ? BigInt(id) : id, ...flags }) };
}

/** The parameters that are not about the sequence. */
export const withoutSequence = (parameters: Parameters): Parameters =>
  Object.fromEntries(Object.entries(parameters).filter(([name]) => !ofSequence.includes(name)));

/** The sequence that a request belongs to, if any. */
export function sequenceOf({ parameters }: Pick<InferRequest, "parameters">): Sequence | undefined {
  const id = parameters.sequence_id?.value.value;
  if (id === undefined) return undefined;
  const says = (name: string) => parameters[name]?.value.value === true;
  const isText = typeof id === "string" && { isText: true };
  return { id: String(id), ...isText, start: says("sequence_start"), end: says("sequence_end") };
}

/** Values of JSON as parameters. Throws an Error for one that no parameter can have. */
export function written(values: Readonly<Record<string, unknown>>): Parameters {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, asParameter(name, value)]));
}

function asParameter(name: string, value: unknown): RequestParameter {
  const make = (choice: RequestParameter["value"]) => create(RequestParameterSchema, { value: choice });
  if (typeof value === "boolean") return make({ case: "bool", value });
  if (typeof value === "string") return make({ case: "string", value });
  if (typeof value === "bigint" || Number.isInteger(value))
    return make(asInteger(name, BigInt(value as bigint)));
  if (typeof value === "number" && Number.isFinite(value)) return make({ case: "double", value });
  throw new Error(`Parameter "${name}" must be a boolean, a number or a text`);
}

function asInteger(name: string, value: bigint): RequestParameter["value"] {
  if (BigInt.asIntN(64, value) === value) return { case: "int64", value };
  if (BigInt.asUintN(64, value) === value) return { case: "uint64", value };
  throw new Error(`Parameter "${name}" is beyond 64 bits`);
}

/** Parameters as JSON. */
export function parametersText(parameters: Parameters): string {
  const fields = Object.entries(parameters).map(([name, { value }]) => {
    const text = typeof value.value === "bigint" ? String(value.value) : JSON.stringify(value.value ?? null);
    return `${JSON.stringify(name)}: ${text}`;
  });
  return `{${fields.join(", ")}}`;
}
