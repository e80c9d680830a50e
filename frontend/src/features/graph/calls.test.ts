import { create } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { GetGraphResponseSchema, GraphNode_Kind, InferResponseSchema } from "../../api/conch_pb";
import { markBroken } from "./broken";
import { callsPhrase, lastCall } from "./calls";
import { stepTimes, toEdges, toNodes } from "./flow";
import { layered } from "./layered";
import { layoutOf, planOf, whole } from "./layout";
import { outline } from "./outline";

const tensor = { name: "A", datatype: "FP32", shape: [4n] };
const last = BigInt(new Date(2026, 0, 2, 14, 3, 22).getTime());

const graph = create(GetGraphResponseSchema, {
  nodes: [
    { id: "model", kind: GraphNode_Kind.MODEL, label: "reader", model: "reader", inputs: [tensor] },
    { id: "call:digits", kind: GraphNode_Kind.CALLED, label: "digits", model: "digits", outputs: [tensor] },
    { id: "call:gone", kind: GraphNode_Kind.CALLED, label: "gone", model: "gone", problem: "there is none" },
  ],
  edges: [
    { id: "1", source: "model", target: "call:digits", calls: { count: 1204n, failed: 3n, last } },
    {
      id: "2",
      source: "model",
      target: "call:gone",
      calls: { count: 9n, failed: 1n, last, newestFailed: true },
    },
    { id: "3", source: "call:digits", target: "call:gone", calls: { running: 1n } },
  ],
});

const full = whole(markBroken(graph));
const plan = planOf(full, new Map());
const layout = layoutOf(full, layered(plan.boxes, plan.lines));
const marks = { selected: "", found: new Set<string>() };

it("says how often a model was called, and how many of these calls failed", () => {
  const phrases = graph.edges.map(({ calls }) => calls && callsPhrase(calls));
  expect(phrases).toEqual(["1,204 calls, 3 failed", "9 calls, 1 failed", "1 call"]);
});

it("says that calls run, else when the last one ended", () => {
  const [ended, failed, first] = graph.edges.map(({ calls }) => calls);
  expect(ended && lastCall(ended)).toBe("last 2 Jan 14:03");
  expect(failed && lastCall(failed)).toBe("last 2 Jan 14:03, failed");
  expect(first && lastCall(first)).toBe("1 running now");
  expect(ended && first && [callsPhrase, lastCall].map((say) => say({ ...ended, running: 2n }))).toEqual([
    "1,206 calls, 3 failed",
    "2 running now",
  ]);
});

it("draws a labelled line for each called model, from box to box, which is red after a call that failed", () => {
  const edges = toEdges(layout, marks);
  expect(edges.map(({ sourceHandle, targetHandle }) => [sourceHandle, targetHandle])).toEqual([
    ["out:", "in:"],
    ["out:", "in:"],
    ["out:", "in:"],
  ]);
  expect(edges.map(({ data }) => data?.label !== undefined)).toEqual([true, true, true]);
  expect(edges.map(({ data }) => data?.labelBroken)).toEqual([false, true, false]);
  expect(layout.nodes.map(({ node }) => node.inputs.length + node.outputs.length)).toEqual([1, 1, 0]);
});

it("knows which boxes call and which are called", () => {
  const nodes = toNodes(layout, new Map(), marks);
  expect(nodes.map(({ type, data }) => [type, data.calling, data.called])).toEqual([
    ["step", true, false],
    ["step", true, true],
    ["step", false, true],
  ]);
});

it("shows the time of all calls of a model together, and of the model that made them", () => {
  const ran = { executions: [{ instance: "reader_0" }] };
  const call = { model: "digits", timings: { totalNs: 2_000_000n }, span: ran };
  const response = create(InferResponseSchema, {
    span: ran,
    timings: { totalNs: 9_000_000n },
    steps: [call, { ...call, step: 1 }, { model: "gone", step: 2, running: true }],
  });
  expect([...stepTimes(response)]).toEqual([
    ["model", 9],
    ["call:digits", 4],
  ]);
});

it("shows the calls of an ensemble's step", () => {
  const call = { model: "digits", timings: { totalNs: 2_000_000n } };
  const step = { step: 0, model: "reader", timings: { totalNs: 5_000_000n }, steps: [call] };
  const ran = { ...step, span: { executions: [{ instance: "reader_0" }] } };
  const response = create(InferResponseSchema, { steps: [ran] });
  expect([...stepTimes(response)]).toEqual([
    ["step:0", 5],
    ["call:digits", 2],
  ]);
});

it("reads calls out", () => {
  expect(outline(graph).map(({ text }) => text.replace(/ at .*|last .*/, "last"))).toEqual([
    "Model reader",
    "Called model digits",
    "Called model gone. Broken: there is none",
    "Calls from model reader to called model digits: 1,204 calls, 3 failed, last",
    "Calls from model reader to called model gone: 9 calls, 1 failed, last",
    "Calls from called model digits to called model gone: 1 call, 1 running now",
  ]);
});
