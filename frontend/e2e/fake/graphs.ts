// Ensembles of two, five and two hundred steps. The scene "graphs" has them.
import { GraphNode_Kind, ModelState } from "../../src/api/conch_pb";

const one = [{ number: 1n, state: ModelState.READY, reason: "" }];
const part = "stage";
const names = [
  "one_step",
  "fan_in",
  "late_input",
  "two_steps",
  "five_steps",
  "chain_of_200",
  "lattice_of_200",
  "branches_of_200",
];

export const graphRows = [
  ...names.map((name) => ({
    name,
    kind: "Ensemble",
    state: ModelState.READY,
    uses: [part],
    versions: one,
  })),
  { name: part, state: ModelState.READY, usedBy: names, versions: one },
  ...[
    { name: "reader", calls: ["detector", "language_model", "reader_v1", "spelling"] },
    { name: "detector", kind: "ONNX" },
    { name: "language_model", kind: "Python", calls: ["tokenizer"] },
    { name: "tokenizer", kind: "Python" },
    { name: "spelling", kind: "ONNX", state: ModelState.UNLOADED, reason: "" },
  ].map((row) => ({ kind: "Python", state: ModelState.READY, versions: one, ...row })),
];

const tensor = (name: string) => ({ name, datatype: "FP32", dims: [64n], shape: [-1n, 64n], labels: [] });

const step = (i: number, label: string) => ({
  id: `step:${i}`,
  kind: GraphNode_Kind.STEP,
  label,
  model: part,
  modelKind: "ONNX",
  modelVersion: -1n,
  inputs: [tensor("input")],
  outputs: [tensor("output")],
});

const edge = (source: string, target: string, name: string, problem = "") => ({
  id: `${source} ${target}`,
  source,
  sourcePort: source.startsWith("step") ? "output" : name,
  target,
  targetPort: target.startsWith("step") ? "input" : name,
  tensor: name,
  datatype: "FP32",
  shape: [-1n, 64n],
  problem,
});

/** Steps with the steps that feed each of them; the first are fed by the input, the last give outputs. */
function graphOf(labels: readonly string[], fedBy: (i: number) => readonly number[]) {
  const feeds = new Set(labels.flatMap((_, i) => fedBy(i)));
  const ends = labels.flatMap((_, i) => (feeds.has(i) ? [] : [i]));
  const output = (i: number) => (ends.length === 1 ? "SCORES" : `SCORES_${i}`);
  return {
    nodes: [
      { id: "input:IMAGE", kind: GraphNode_Kind.INPUT, label: "IMAGE", outputs: [tensor("IMAGE")] },
      ...labels.map((label, i) => step(i, label)),
      ...ends.map((i) => ({
        id: `output:${output(i)}`,
        kind: GraphNode_Kind.OUTPUT,
        label: output(i),
        inputs: [tensor(output(i))],
      })),
    ],
    edges: [
      ...labels.flatMap((_, i) =>
        fedBy(i).length === 0
          ? [edge("input:IMAGE", `step:${i}`, "IMAGE")]
          : fedBy(i).map((from) => edge(`step:${from}`, `step:${i}`, `values_${from}`)),
      ),
      ...ends.map((i) => edge(`step:${i}`, `output:${output(i)}`, output(i))),
    ],
  };
}

/** An ensemble's inputs and the steps that take them, beside a graph. */
function withInputs(graph: ReturnType<typeof graphOf>, inputs: Record<string, readonly number[]>) {
  const names = Object.keys(inputs);
  return {
    nodes: [
      ...names.map((name) => ({
        id: `input:${name}`,
        kind: GraphNode_Kind.INPUT,
        label: name,
        outputs: [tensor(name)],
      })),
      ...graph.nodes,
    ],
    edges: [
      ...graph.edges,
      ...names.flatMap((name) =>
        (inputs[name] ?? []).map((to) => ({
          ...edge(`input:${name}`, `step:${to}`, name),
          targetPort: name,
        })),
      ),
    ],
  };
}

const before = (i: number) => (i === 0 ? [] : [i - 1]);
const many = Array.from({ length: 200 }, (_, i) => `stage_${i + 1}`);

const modelNode = (name: string, modelKind = "Python") => ({
  ...step(0, name),
  id: `call:${name}`,
  kind: GraphNode_Kind.CALLED,
  model: name,
  modelKind,
});

const seen = (source: string, target: string, count: number, failed = 0) => ({
  id: `${source}>${target}`,
  source,
  target,
  calls: {
    count: BigInt(count),
    failed: BigInt(failed),
    error: failed > 0 ? "Request for unknown model: 'reader_v1' is not found" : "",
    last: BigInt(Date.now() - 5000),
  },
});

/** A Python model that calls four others; one of them is not there, one not loaded, one calls a fifth. */
const reader = {
  nodes: [
    { ...modelNode("reader"), id: "model", kind: GraphNode_Kind.MODEL },
    modelNode("detector", "ONNX"),
    modelNode("language_model"),
    {
      ...modelNode("reader_v1", ""),
      inputs: [],
      outputs: [],
      problem: 'There is no model "reader_v1" in this repository, but it is called',
    },
    modelNode("spelling", "ONNX"),
    modelNode("tokenizer"),
  ],
  edges: [
    seen("model", "call:detector", 1204),
    seen("model", "call:language_model", 1203, 17),
    seen("model", "call:reader_v1", 1, 1),
    seen("model", "call:spelling", 12),
    seen("call:language_model", "call:tokenizer", 2406),
  ],
};

/** The graph of such an ensemble; undefined for the others. */
export function graphNamed(name: string) {
  if (name === "reader") return reader;
  if (name === "one_step") return graphOf(["classifier"], before);
  if (name === "fan_in")
    return graphOf(["left_view", "right_view", "top_view", "join_views"], (i) => (i < 3 ? [] : [0, 1, 2]));
  if (name === "late_input")
    return withInputs(graphOf(["decode", "detector", "draw_boxes"], before), {
      THRESHOLD: [2],
      LABELS: [0, 2],
    });
  if (name === "two_steps") return graphOf(["preprocess", "classifier"], before);
  if (name === "five_steps")
    return graphOf(["decode", "preprocess", "detector", "crop_and_resize", "recogniser"], before);
  if (name === "chain_of_200") return graphOf(many, before);
  if (name === "lattice_of_200")
    return graphOf(many, (i) => (i < 10 ? [] : [i - 10, i - 10 + (((i % 10) + 1) % 10) - (i % 10)]));
  if (name === "branches_of_200")
    return graphOf(many, (i) => (i === 0 ? [] : i === 199 ? many.map((_, k) => k).slice(1, 199) : [0]));
  return undefined;
}
