/** A whole request as the JSON of the KServe protocol, for those who would rather type it. */
import { create } from "@bufbuild/protobuf";
import { type InferInput, InferInputSchema, type InferRequest, InferRequestSchema } from "../../api/conch_pb";
import { decode, encode, isDatatype } from "../../lib/tensor";
import { complaint, flatValues, parseLenient, toJson } from "../../lib/tensor-json";

/** Writes a request; values are in rows, so that they can be edited. */
export function asJson(request: InferRequest): string {
  const inputs = request.inputs.map((input) => {
    const head = { name: input.name, datatype: input.datatype, shape: input.shape.map(Number) };
    const fields = Object.entries(head).map(
      ([key, value]) => `"${key}": ${JSON.stringify(value).replaceAll(",", ", ")}`,
    );
    return `    {\n      ${[...fields, `"data": ${indent(dataOf(input))}`].join(",\n      ")}\n    }`;
  });
  return `{\n  "inputs": [\n${inputs.join(",\n")}\n  ]\n}\n`;
}

function dataOf(input: InferInput): string {
  if (input.data.case !== "raw") return input.data.value ?? "[]";
  return toJson(input.datatype, input.shape.map(Number), decode(input.datatype, input.data.value));
}

const indent = (text: string) => text.replaceAll("\n", "\n      ");

/** Reads a request. Only that values fit their own type is checked here: the engine judges names and shapes. */
export function fromJson(model: string, text: string): InferRequest {
  const tree = parseLenient(text);
  if (!isRecord(tree) || !Array.isArray(tree.inputs))
    throw new Error('The request needs a list of tensors under "inputs"');
  const outputs = Array.isArray(tree.outputs) ? tree.outputs.map(outputName) : [];
  return create(InferRequestSchema, { model, inputs: tree.inputs.map(readInput), outputs });
}

function readInput(node: unknown, index: number): InferInput {
  if (!isRecord(node) || typeof node.name !== "string") throw new Error(`Input ${index + 1} has no "name"`);
  const { name, datatype, shape } = node;
  const where = `Input "${name}"`;
  if (typeof datatype !== "string" || !isDatatype(datatype))
    throw new Error(`${where}: "datatype" must be a tensor type, such as "FP32"`);
  if (!Array.isArray(shape) || !shape.every(Number.isInteger))
    throw new Error(`${where}: "shape" must be a list of whole numbers`);
  if (node.data === undefined) throw new Error(`${where} has no "data"`);
  try {
    const { values } = flatValues(node.data);
    const wrong = complaint(datatype, values);
    if (wrong) throw new Error(wrong);
    const value = encode(datatype, values);
    return create(InferInputSchema, {
      name,
      datatype,
      shape: shape.map(BigInt),
      data: { case: "raw", value },
    });
  } catch (error) {
    throw new Error(`${where}: ${(error as Error).message}`);
  }
}

function outputName(node: unknown): string {
  if (typeof node === "string") return node;
  if (isRecord(node) && typeof node.name === "string") return node.name;
  throw new Error('"outputs" must be a list of names, or of objects with a "name"');
}

function isRecord(node: unknown): node is Record<string, unknown> {
  return typeof node === "object" && node !== null && !Array.isArray(node);
}
