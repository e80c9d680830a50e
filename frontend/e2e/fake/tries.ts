import { Code, ConnectError, type ConnectRouter, type ServiceImpl } from "@connectrpc/connect";
import { TryService } from "../../src/api/conch_pb";
import { oddAnswer, readTen, stopOdd } from "./answers";
import { evil, long, oddTensors } from "./oddNames";
import { watchRefusals } from "./refusals";
import type { World } from "./world";

function floats(values: number[]): Uint8Array {
  return new Uint8Array(new Float32Array(values).buffer);
}

const timings = (scale: number) => ({
  queueNs: BigInt(Math.round(40_000 * scale)),
  inputNs: BigInt(Math.round(30_000 * scale)),
  inferNs: BigInt(Math.round(310_000 * scale)),
  outputNs: BigInt(Math.round(50_000 * scale)),
  totalNs: BigInt(Math.round(430_000 * scale)),
  roundTripNs: BigInt(Math.round(900_000 * scale)),
});

function answer(model: string) {
  if (oddTensors(model))
    return [
      {
        name: evil,
        datatype: "FP32",
        shape: [1n, 4n],
        raw: floats([Number.NaN, 1 / 3, -0, Infinity]),
        labels: [],
      },
      { name: long, datatype: "FP32", shape: [1n, 2n], raw: floats([0.9, 0.1]), labels: [evil, long] },
    ];
  if (model === "digits" || model === "read_digit") {
    const name = model === "digits" ? "probabilities" : "DIGIT";
    const raw = floats([0.0004, 0.0002, 0.001, 0.962, 0.0003, 0.006, 0.0004, 0.0003, 0.011, 0.019]);
    return [
      {
        name,
        datatype: "FP32",
        shape: [1n, 10n],
        raw,
        labels: ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"],
      },
    ];
  }
  const raw = new Uint8Array(new Int32Array(Array.from({ length: 16 }, (_, i) => i * 2)).buffer);
  return ["OUTPUT0", "OUTPUT1"].map((name) => ({
    name,
    datatype: "INT32",
    shape: [1n, 16n],
    raw,
    labels: [],
  }));
}

const steps = [
  { model: "digits_prepare", modelVersion: "1", startNs: 0n, timings: timings(0.15), step: 0 },
  { model: "digits", modelVersion: "1", startNs: 80_000n, timings: timings(0.7), step: 1 },
  { model: "blank_page", modelVersion: "1", startNs: 80_000n, timings: timings(2.1), step: 2 },
];

const times = (ms: number) => ({ medianMs: ms, lowMs: ms * 0.96, highMs: ms * 1.07 });

export function registerTry(router: ConnectRouter, world: World): void {
  const history = Array.from({ length: 30 }, (_, i) => ({
    id: BigInt(100 - i),
    time: BigInt(Date.now() - i * 47_000),
    model: [...world.models.keys()][i % Math.min(8, world.models.size)] ?? "",
    modelVersion: "1",
    ok: i % 9 !== 4,
    error:
      i % 9 === 4
        ? "[request id: 7] unexpected shape for input 'image' for model 'digits'. Expected [-1,64], got [1,63]"
        : "",
    tookMs: 0.4 + i / 9,
    summary: "image FP32 [1, 64] -> probabilities FP32 [1, 10]",
  }));
  const all: ServiceImpl<typeof TryService> = {
    listProviders: ({ model }) => ({
      providers: model === "digits" ? [{ id: "tensorrt-fp16", label: "TensorRT in FP16" }] : [],
    }),
    compareAnswers: async function* ({ request, model }) {
      yield {
        first: { model: request?.model, version: "1", runsOn: "ONNX Runtime on CPU", ...times(0.42) },
        second: { model, version: "2", runsOn: "ONNX Runtime on CPU", ...times(0.31) },
        outputs: [],
        runs: 30,
      };
    },
    infer: async function* ({ model, run }) {
      const summary = world.models.get(model);
      if (!summary) throw new ConnectError("no such model", Code.NotFound);
      const odd = oddAnswer(model, run);
      if (odd) return yield* odd;
      if (model === "postprocess") {
        yield {
          ok: false,
          error: "Request for unknown model: 'postprocess' has no available versions",
          errorCode: "UNAVAILABLE",
        };
        return;
      }
      yield {
        ok: true,
        modelVersion: "1",
        outputs: answer(model),
        timings: timings(model === "read_digit" ? 2.9 : 1),
        steps: model === "read_digit" ? steps : [],
        span: { receivedNs: 300_000n, queuedNs: 1_000n, endedNs: 430_000n },
        traceId: model === "read_digit" ? 7n : 0n,
        historyId: 101n,
      };
    },
    stopInfer: ({ run }) => {
      stopOdd(run);
      return {};
    },
    readTensor: (request) => readTen(request),
    listTracedTensors: () => ({
      tensors: steps.map(({ model, step }) => ({
        path: [step],
        model,
        output: true,
        byteSize: 40n,
        tensor: { ...answer("digits")[0], name: `of_${model}` },
      })),
    }),
    snippet: ({ language }) => ({
      text: `# ${language}\ncurl -s localhost:8000/v2/models/digits/infer -d '{"inputs": []}'`,
    }),
    watchRefusals,
    listHistory: ({ model }) => ({
      entries: history.filter((entry) => model === "" || entry.model === model),
    }),
    getHistory: ({ id }) => ({
      entry: history.find((entry) => entry.id === id) ?? history[0],
      request: { model: "digits" },
      response: { ok: true, outputs: answer("digits"), timings: timings(1) },
    }),
  };
  router.service(TryService, all);
}
