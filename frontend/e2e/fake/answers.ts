// Answers that are hard to show, one model each. The scene "answers" has these models.
import { encode } from "../../src/lib/tensor";

type Output = {
  name: string;
  datatype: string;
  shape: bigint[];
  raw: Uint8Array;
  labels?: string[];
  source?: bigint;
  count?: bigint;
};

const output = (
  name: string,
  datatype: string,
  dims: number[],
  raw: Uint8Array,
  labels: string[] = [],
): Output => ({
  name,
  datatype,
  shape: dims.map(BigInt),
  raw,
  labels,
});

const words = (...elements: (string | number[])[]) => {
  const parts = elements.map((e) =>
    typeof e === "string" ? new TextEncoder().encode(e) : Uint8Array.from(e),
  );
  const raw = new Uint8Array(parts.reduce((n, p) => n + 4 + p.length, 0));
  const view = new DataView(raw.buffer);
  let at = 0;
  for (const part of parts) {
    view.setUint32(at, part.length, true);
    raw.set(part, at + 4);
    at += 4 + part.length;
  }
  return raw;
};

const million = new Float32Array(10_000_000).map((_, i) => Math.fround(Math.sin(i / 1000) * (i / 1e6)));

const floats = [Number.NaN, Infinity, -Infinity, -0, 0.1, 1 / 3, -1e-12, 65504, 1, 2, 3, 4, 5, 6, 7, 8];
const labels = [
  "a very long label of a class that goes on and on until nobody reads it any more",
  "b",
  "c",
  "d",
];

const outputs: Record<string, () => Output[]> = {
  not_a_number: () => [
    output("scores", "FP32", [2, 8], encode("FP32", floats)),
    output("halves", "FP16", [1, 4], encode("FP16", [65504, 0.1, -0, Number.NaN])),
  ],
  vector_of_16: () => [
    output(
      "OUTPUT0",
      "INT32",
      [1, 16],
      encode(
        "INT32",
        floats.map((_, i) => i * 1000),
      ),
    ),
  ],
  ten_million: () => [
    { ...output("signal", "FP32", [1, 10_000_000], new Uint8Array()), source: 1n, count: 10_000_000n },
    { ...output("volume", "FP32", [10, 1000, 1000], new Uint8Array()), source: 1n, count: 10_000_000n },
  ],
  bytes: () => [
    output("text", "BYTES", [4], words("hello", "Grüße, 世界", [0xff, 0xd8, 0xff, 0xe0, 0x00, 0x10], "")),
    output(
      "html",
      "BYTES",
      [2, 1],
      words('<img src=x onerror="document.title=1">', "<script>alert(1)</script><b>bold</b>"),
    ),
  ],
  empty: () => [
    output("boxes", "FP32", [1, 0, 4], new Uint8Array()),
    output("scalar", "FP32", [], encode("FP32", [42])),
  ],
  long_labels: () => [
    output("probabilities", "FP32", [1, 4], encode("FP32", [0.7, 0.2, 0.06, 0.04]), labels),
  ],
};

export const oddModels = [...Object.keys(outputs), "stream_of_1000", "slow", "refuses", "many_inputs"];

const timings = {
  queueNs: 40_000n,
  inputNs: 30_000n,
  inferNs: 310_000n,
  outputNs: 50_000n,
  totalNs: 430_000n,
  roundTripNs: 900_000n,
};

const spec = (name: string, datatype: string, dims: number[]) => ({
  name,
  datatype,
  dims: dims.map(BigInt),
  shape: [-1n, ...dims.map(BigInt)],
  labels: [],
});

export function oddSpecs(model: string) {
  if (!oddModels.includes(model)) return undefined;
  const inputs = Array.from({ length: model === "many_inputs" ? 14 : 1 }, (_, i) =>
    spec(`INPUT${i}`, "FP32", [2]),
  );
  return { inputs, outputs: [spec("OUTPUT0", "FP32", [1])] };
}

const stops = new Map<string, () => void>();

export function stopOdd(run: string): void {
  stops.get(run)?.();
}

const until = (run: string, ms: number) =>
  new Promise<boolean>((resolve) => {
    const timer = setTimeout(() => resolve(false), ms);
    stops.set(run, () => {
      clearTimeout(timer);
      resolve(true);
    });
  });

const one = (i: number) => [
  output("token", "BYTES", [1], words(`word ${i}`)),
  output("n", "INT32", [1], encode("INT32", [i])),
];

/** The messages of an answer; undefined for a model of another scene. */
export function oddAnswer(model: string, run: string) {
  return oddModels.includes(model) ? messages(model, run) : undefined;
}

async function* messages(model: string, run: string) {
  const end = { ok: true, modelVersion: "1", timings, historyId: 1n };
  if (model === "refuses") {
    yield {
      ok: false,
      error: "[request id: 7] unexpected shape for input 'INPUT0' for model 'refuses'",
      errorCode: "INVALID_ARGUMENT",
    };
  } else if (model === "slow") {
    const began = Date.now();
    const stopped = await until(run, 60_000);
    const roundTripNs = BigInt(Date.now() - began) * 1_000_000n;
    const took = `${((Date.now() - began) / 1000).toFixed(1)} s`;
    yield stopped
      ? { ok: false, stopped, error: `Stopped after ${took}`, timings: { roundTripNs } }
      : { ...end, outputs: one(1) };
  } else if (model === "stream_of_1000") {
    for (let i = 1; i <= 1000; i++)
      yield { ok: true, partial: true, decoupled: true, modelVersion: "1", outputs: one(i) };
    yield { ...end, decoupled: true, answers: 1000n };
  } else {
    yield { ...end, outputs: (outputs[model] ?? (() => one(1)))() };
  }
}

type Grid = { start: bigint; rows: bigint; rowStride: bigint; columns: bigint; columnStride: bigint };

export function readTen(grid: Grid) {
  const [start, rows, rowStride, columns, columnStride] = [
    grid.start,
    grid.rows,
    grid.rowStride,
    grid.columns,
    grid.columnStride,
  ].map(Number) as [number, number, number, number, number];
  const parts: number[] = [];
  for (let r = 0; r < rows; r++)
    for (let c = 0; c < columns; c++) {
      const at = start + r * rowStride + c * columnStride;
      if (at < million.length) parts.push(million[at] as number);
    }
  return { raw: new Uint8Array(new Float32Array(parts).buffer), sizes: [] };
}
