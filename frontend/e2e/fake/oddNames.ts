// Names that people do give, and some that nobody should. The scene "odd" has models and tensors of these names.
import { GraphNode_Kind, ModelState } from "../../src/api/conch_pb";

export const evil = "<img src=x onerror=alert(1)>";
export const forty = "customer_segmentation_pipeline_v12_fp16_b";
export const long = `${"a_model_whose_name_says_all_that_is_known_of_it_".repeat(3).slice(0, 117)}end`;
export const ensemble = "读取 digits & <b>more</b>";
const names = [
  evil,
  "a model with spaces",
  "数字识别模型",
  forty,
  long,
  `quotes " and ' and \\`,
  "عربي-model",
];

const S = ModelState;
const states = [S.READY, S.OLDER_SERVES, S.FAILED, S.LOADING, S.READY, S.UNLOADED, S.NOT_RUNNABLE];

export const oddRows = [
  {
    name: ensemble,
    kind: "Ensemble",
    state: S.READY,
    uses: names.slice(0, 4),
    versions: [{ number: 1n, state: S.READY, reason: "" }],
    rps: 0.2,
  },
  ...names.map((name, i) => ({
    name,
    kind: "ONNX",
    state: states[i],
    reason:
      states[i] === S.FAILED || states[i] === S.OLDER_SERVES
        ? `model '${name}', tensor '${evil}': the model expects 2 dimensions (shape [-1,64]) but the model configuration specifies 2 dimensions (shape [-1,63])`
        : "",
    errors: i % 3 === 1 ? 1 : 0,
    warnings: i % 2,
    usedBy: i < 4 ? [ensemble] : [],
    versions: [{ number: 9007199254740993n, state: states[i] ?? S.READY, reason: "" }],
    rps: i * 12345.678,
    memory: 10 ** (i + 4),
    instances: i,
  })),
];

const tensor = (name: string, datatype: string, dims: readonly number[]) => ({
  name,
  datatype,
  dims: dims.map(BigInt),
  shape: [-1n, ...dims.map(BigInt)],
  labels: [],
  optional: false,
});

const isOdd = (name: string) => name === ensemble || names.includes(name);

/** Inputs and outputs of such a model; undefined for the others. */
export function oddTensors(name: string) {
  if (!isOdd(name)) return undefined;
  return {
    maxBatchSize: 4,
    inputs: [
      tensor(evil, "FP32", [4]),
      tensor("输入图像", "UINT8", [28, 28]),
      tensor("an input with spaces", "INT32", [1]),
      tensor(long, "BYTES", [1]),
    ],
    outputs: [tensor(evil, "FP32", [8]), tensor(long, "BYTES", [1])],
  };
}

const step = (i: number) => ({
  id: `step:${i}`,
  kind: GraphNode_Kind.STEP,
  label: names[i] ?? "",
  model: names[i] ?? "",
  modelKind: "ONNX",
  modelVersion: -1n,
  inputs: [tensor(i === 0 ? long : "输入图像", "FP32", [64])],
  outputs: [tensor(evil, "FP32", [64]), tensor(long, "FP32", [1])],
});

const edge = (id: number, source: string, sourcePort: string, target: string, targetPort: string) => ({
  id: `e${id}`,
  source,
  sourcePort,
  target,
  targetPort,
  tensor: sourcePort,
  datatype: "FP32",
  shape: [-1n, 64n],
  problem: id === 3 ? `"${names[1]}" gives FP32 [-1, 1], "${names[3]}" takes FP32 [-1, 2]` : "",
});

/** An ensemble of such models. */
export function oddGraph(name: string) {
  if (name !== ensemble) return undefined;
  return {
    nodes: [
      { id: "in", kind: GraphNode_Kind.INPUT, label: long, outputs: [tensor(long, "FP32", [64])] },
      ...[0, 1, 2, 3].map(step),
      { id: "out", kind: GraphNode_Kind.OUTPUT, label: evil, inputs: [tensor(evil, "FP32", [64])] },
    ],
    edges: [
      edge(0, "in", long, "step:0", long),
      edge(1, "step:0", evil, "step:1", "输入图像"),
      edge(2, "step:0", long, "step:2", "输入图像"),
      edge(3, "step:1", evil, "step:3", "输入图像"),
      edge(4, "step:3", evil, "out", evil),
    ],
  };
}

/** A config with such names. */
export function oddText(name: string): string | undefined {
  if (!isOdd(name)) return undefined;
  const quoted = (text: string) => text.replaceAll("\\", "\\\\").replaceAll('"', '\\"');
  return `name: "${quoted(name)}"
backend: "onnxruntime"
max_batch_size: 4
input [
  { name: "${evil}" data_type: TYPE_FP32 dims: [ 63 ] },
  { name: "输入图像" data_type: TYPE_UINT8 dims: [ 28, 28 ] },
  { name: "${long}" data_type: TYPE_STRING dims: [ 1 ] }
]
`;
}
