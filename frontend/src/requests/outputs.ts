/** An output of an answer as a tensor that can be looked at. */
import type { OutputTensor } from "../api/conch_pb";
import type { Tensor } from "../ui/tensor/TensorView";

export function outputTensor(output: OutputTensor): Tensor {
  const { name, datatype, shape, raw, labels } = output;
  return { name, datatype, shape, raw, labels };
}
