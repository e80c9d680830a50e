// Models whose inputs are hard to show: many, long names, names of other alphabets, types that are none.
import { ModelState } from "../../src/api/conch_pb";

type Input = readonly [name: string, datatype: string, dims: readonly number[], optional?: boolean];

const text: readonly Input[] = [
  ["text_input", "BYTES", [1]],
  ["max_tokens", "INT32", [1]],
  ["bad_words", "BYTES", [-1], true],
  ["stop_words", "BYTES", [-1], true],
  ["end_id", "INT32", [1], true],
  ["pad_id", "INT32", [1], true],
  ["top_k", "INT32", [1]],
  ["top_p", "FP32", [1]],
  ["temperature", "FP32", [1]],
  ["length_penalty", "FP32", [1]],
  ["repetition_penalty", "FP16", [1]],
  ["random_seed", "UINT64", [1]],
  ["return_log_probs", "BOOL", [1]],
  ["stream", "BOOL", [1]],
];

const models: Record<string, { batch: number; inputs: readonly Input[] }> = {
  text_generation: { batch: 64, inputs: text },
  jpeg_classifier: { batch: 8, inputs: [["encoded_image", "BYTES", [1]]] },
  yolov8x640: { batch: 4, inputs: [["images", "FP32", [3, 640, 640]]] },
  line_of_text: { batch: 4, inputs: [["line", "FP32", [1, 32, 800]]] },
  cutout: { batch: 0, inputs: [["picture", "UINT8", [240, 320, 4]]] },
  drawings: {
    batch: 0,
    inputs: [
      ["column", "UINT8", [400, 32]],
      ["page", "UINT8", [480, 640]],
      ["digit", "UINT8", [28, 28]],
      ["vector", "FP32", [64]],
    ],
  },
  tokens: {
    batch: 0,
    inputs: [
      ["input_ids", "INT64", [-1, -1]],
      ["attention_mask", "INT64", [-1, -1]],
    ],
  },
  strange: {
    batch: 4,
    inputs: [
      ["<img src=x onerror=alert(1)>", "FP32", [4]],
      ["输入图像", "UINT8", [28, 28]],
      ["an input with spaces", "INT32", [1]],
      ["a_name_of_an_input_of_more_than_forty_letters", "FP32", [1]],
      ["no_type", "", [2]],
      ["x".repeat(60), "FP32", [-1, 4]],
    ],
  },
  "<img src=x onerror=alert(1)>": { batch: 0, inputs: [["x", "FP32", [1]]] },
  数字识别模型: { batch: 0, inputs: [["x", "FP32", [1]]] },
  "a model with spaces": { batch: 0, inputs: [["x", "FP32", [1]]] },
};

export const rowsOfInputs = Object.keys(models).map((name) => ({
  name,
  kind: "ONNX",
  state: ModelState.READY,
  versions: [{ number: 1n, state: ModelState.READY, reason: "" }],
}));

/** The inputs of such a model, or undefined for the others. */
export function inputsOf(name: string) {
  const model = models[name];
  if (!model) return undefined;
  const inputs = model.inputs.map(([input, datatype, list, optional = false]) => {
    const dims = list.map(BigInt);
    return {
      name: input,
      datatype,
      dims,
      shape: model.batch > 0 ? [-1n, ...dims] : dims,
      optional,
      labels: [],
    };
  });
  return { maxBatchSize: model.batch, inputs, outputs: [] };
}
