/** A request's inputs as tensors that can be looked at. */
import type { InferInput } from "../../api/conch_pb";
import { encode } from "../../lib/tensor";
import { parseValues } from "../../lib/tensor-json";
import type { Tensor } from "../../ui/tensor/source";

/** Values that were sent as JSON are encoded; what cannot be is shown as nothing. */
export function inputTensor(input: InferInput): Tensor {
  const { name, datatype, shape } = input;
  return { name, datatype, shape, labels: [], raw: rawOf(input) };
}

function rawOf({ datatype, data }: InferInput): Uint8Array {
  if (data.case === "raw") return data.value;
  try {
    return encode(datatype, parseValues(data.value ?? "").values);
  } catch {
    return new Uint8Array();
  }
}
