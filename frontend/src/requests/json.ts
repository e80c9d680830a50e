/** A whole request as the JSON of the KServe protocol, for those who would rather type it. */
import { create } from "@bufbuild/protobuf";
import { type InferInput, InferInputSchema, type InferRequest, InferRequestSchema } from "../api/conch_pb";
import { decode } from "../lib/tensor";
import { toJson } from "../lib/tensor-json";
import { isLong, readLongRequest } from "./longTexts";
import { parametersText, written } from "./parameters";
import { readRequest, type TypedTensor } from "./typed";

/** Writes a request; values are in rows, so that they can be edited. */
export function asJson(request: InferRequest): string {
  const inputs = request.inputs.map((input) => {
    const head = { name: input.name, datatype: input.datatype, shape: input.shape.map(Number) };
    const fields = Object.entries(head).map(
      ([key, value]) => `"${key}": ${JSON.stringify(value).replaceAll(",", ", ")}`,
    );
    return `    {\n      ${[...fields, `"data": ${indent(dataOf(input))}`].join(",\n      ")}\n    }`;
  });
  return `{\n${besides(request)}  "inputs": [\n${inputs.join(",\n")}\n  ]\n}\n`;
}

/** What comes before the inputs. */
function besides({ id, parameters }: InferRequest): string {
  const parts = id ? [`  "id": ${JSON.stringify(id)},\n`] : [];
  if (Object.keys(parameters).length > 0) parts.push(`  "parameters": ${parametersText(parameters)},\n`);
  return parts.join("");
}

function dataOf(input: InferInput): string {
  if (input.data.case !== "raw") return input.data.value ?? "[]";
  return toJson(input.datatype, input.shape.map(Number), decode(input.datatype, input.data.value));
}

const indent = (text: string) => text.replaceAll("\n", "\n      ");

/** Reads a request. A long one is read in a worker. */
export async function fromJson(model: string, text: string): Promise<InferRequest> {
  const { id, parameters, inputs, outputs } = isLong(text) ? await readLongRequest(text) : readRequest(text);
  return create(InferRequestSchema, {
    model,
    id,
    parameters: written(parameters),
    inputs: inputs.map(asInput),
    outputs: [...outputs],
  });
}

function asInput({ name, datatype, shape, raw }: TypedTensor): InferInput {
  return create(InferInputSchema, {
    name,
    datatype,
    shape: shape.map(BigInt),
    data: { case: "raw", value: raw },
  });
}
