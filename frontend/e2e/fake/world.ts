import { create } from "@bufbuild/protobuf";
import {
  type Engine,
  Engine_State,
  EngineSchema,
  type Gpu,
  ModelState,
  type ModelSummary,
  ModelSummarySchema,
  type Notice,
  Notice_Level,
  NoticeSchema,
  type Repository,
  RepositorySchema,
  type WorkspaceUpdate,
} from "../../src/api/conch_pb";
import { oddModels } from "./answers";
import { gpusOf } from "./gpus";
import { graphRows } from "./graphs";
import { rowsOfInputs } from "./inputs";
import { oddRows } from "./oddNames";

type Odd = "answers" | "inputs" | "odd" | "problems";
export type Scene = "rich" | "empty" | "none" | "many" | "graphs" | "gpus" | Odd;

/** Everything that the made-up API knows and changes. */
export interface World {
  repository: Repository;
  engine: Engine;
  models: Map<string, ModelSummary>;
  notices: Notice[];
  texts: Map<string, string>;
  seq: bigint;
  gpus: readonly Gpu[];
  listeners: Set<(update: Partial<WorkspaceUpdate>) => void>;
  publish: (update: Partial<WorkspaceUpdate>) => void;
}

const S = ModelState;
const now = Date.now();

interface Row {
  name: string;
  kind?: string;
  state?: ModelState;
  reason?: string;
  errors?: number;
  warnings?: number;
  uses?: string[];
  usedBy?: string[];
  versions?: { number: bigint; state: ModelState; reason: string }[];
  rps?: number;
  memory?: number;
  device?: string;
  instances?: number;
  loading?: string;
  elsewhere?: { group: number; badge: string; text: string }[];
}

const one = [{ number: 1n, state: S.READY, reason: "" }];

const rows: Row[] = [
  {
    name: "read_digit",
    kind: "Ensemble",
    state: S.READY,
    uses: ["digits_prepare", "digits", "blank_page"],
    versions: one,
    rps: 14.1,
  },
  {
    name: "ocr_pipeline",
    kind: "Ensemble",
    state: S.UNLOADED,
    uses: ["text_detect", "text_recognise", "postprocess"],
    versions: [{ number: 1n, state: S.UNLOADED, reason: "" }],
  },
  {
    name: "add_sub",
    kind: "ONNX",
    state: S.READY,
    versions: one,
    rps: 11.8,
    memory: 1.2e6,
    instances: 2,
    elsewhere: [
      {
        group: 0,
        badge: "KIND_GPU, runs on CPU here",
        text: "instance group add_sub_0 asks for KIND_GPU and runs on the CPU here, because this machine has no NVIDIA GPU that can be used; Triton would refuse the model on this machine",
      },
    ],
  },
  {
    name: "digits",
    kind: "ONNX",
    state: S.OLDER_SERVES,
    reason:
      "Version 2 did not load: model 'digits', tensor 'image': the model expects 2 dimensions (shape [-1,64]) but the model configuration specifies 2 dimensions (an initial batch dimension because max_batch_size > 0 followed by the explicit tensor shape, making complete shape [-1,63])",
    errors: 2,
    usedBy: ["read_digit"],
    rps: 14.1,
    memory: 4.1e6,
    instances: 2,
    versions: [...one, { number: 2n, state: S.FAILED, reason: "dims [63], model has [64]" }],
  },
  {
    name: "digits_prepare",
    kind: "ONNX",
    state: S.READY,
    usedBy: ["read_digit"],
    versions: one,
    rps: 14.1,
    memory: 1.0e6,
    instances: 2,
  },
  {
    name: "blank_page",
    kind: "Python",
    state: S.READY,
    loading: "creating instance 2 of 4",
    usedBy: ["read_digit"],
    versions: one,
    rps: 14.1,
    memory: 38e6,
    instances: 1,
  },
  {
    name: "silero_vad",
    kind: "ONNX",
    state: S.LOADING,
    reason: "warming up, sample 2 of 3",
    loading: "warming up, sample 2 of 3",
    versions: [{ number: 1n, state: S.LOADING, reason: "" }],
    instances: 1,
  },
  {
    name: "text_detect",
    kind: "ONNX",
    state: S.UNLOADED,
    warnings: 1,
    versions: [{ number: 1n, state: S.UNLOADED, reason: "" }],
  },
  {
    name: "text_recognise",
    kind: "ONNX",
    state: S.UNLOADED,
    versions: [{ number: 1n, state: S.UNLOADED, reason: "" }],
  },
  {
    name: "postprocess",
    kind: "Python",
    state: S.FAILED,
    errors: 1,
    reason: "No module named 'cv2'",
    versions: [{ number: 1n, state: S.FAILED, reason: "No module named 'cv2'" }],
  },
  {
    name: "resnet50_trt",
    kind: "TensorRT",
    state: S.NOT_RUNNABLE,
    reason: "this engine has no tensorrt backend; the config can still be edited and checked",
    versions: [{ number: 1n, state: S.NOT_RUNNABLE, reason: "" }],
  },
  {
    name: "wav2vec2_large_xlsr_53_german_streaming_chunked_encoder_quantised_int8",
    kind: "ONNX",
    state: S.READY,
    warnings: 12,
    versions: one,
    rps: 0.2,
    memory: 318e6,
    instances: 4,
  },
];

function summary({ memory = 0, device = "CPU", ...row }: Row): ModelSummary {
  return create(ModelSummarySchema, {
    kind: "ONNX",
    state: S.UNLOADED,
    device,
    ...row,
    ensemble: row.kind === "Ensemble",
    runtime: row.kind === "ONNX" ? "ONNX Runtime" : row.kind === "Ensemble" ? "" : row.kind,
    configPath: "config.pbtxt",
    dir: `/home/eva/examples/repository/${row.name}`,
    stateSince: BigInt(now - 900_000),
    loadingSince: row.loading ? BigInt(now - 12_000) : 0n,
    memoryBytes: BigInt(memory),
    memory: memory > 0 ? [{ device, bytes: BigInt(memory) }] : [],
    requestsPerSecond: row.rps ?? 0,
    versions: row.versions ?? [],
  });
}

function filler(count: number): Row[] {
  const kinds = ["ONNX", "Python", "PyTorch", "TensorRT"];
  return Array.from({ length: count }, (_, i) => ({
    name: `customer_${String(i % 40).padStart(2, "0")}_ranking_stage_${String(i).padStart(4, "0")}`,
    kind: kinds[i % 4],
    state: i % 7 === 0 ? S.FAILED : i % 3 === 0 ? S.UNLOADED : S.READY,
    reason: i % 7 === 0 ? "failed to load: Protobuf parsing failed" : "",
    errors: i % 7 === 0 ? 1 : 0,
    versions: one,
  }));
}

function repositoryOf(scene: Scene, models: ModelSummary[]): Repository {
  const total = (of: "errors" | "warnings") => models.reduce((sum, model) => sum + model[of], 0);
  const trouble = {
    empty:
      "There is no model in ~/models yet: a model is a folder with a config.pbtxt or a version folder in it",
    none: "The folder ~/models/old is not there any more: it was moved or deleted",
  };
  return create(RepositorySchema, {
    name:
      scene === "odd"
        ? "~/模型 & <b>repo</b>/of a very long path/that goes on/for a while"
        : scene === "none"
          ? "~/models/old"
          : scene === "empty"
            ? "~/models"
            : "examples/repository",
    roots: ["/home/eva/examples/repository"],
    modelCount: models.length,
    errors: total("errors"),
    warnings: total("warnings"),
    problemModels: models.filter((model) => model.errors > 0).length,
    watchMode: "fsnotify",
    trouble: scene === "empty" || scene === "none" ? trouble[scene] : "",
  });
}

const notices = [
  {
    id: 1n,
    time: BigInt(now - 812_000),
    level: Notice_Level.INFO,
    model: "add_sub",
    text: "add_sub reloaded in 38 ms",
  },
  {
    id: 2n,
    time: BigInt(now - 500_000),
    level: Notice_Level.ERROR,
    model: "digits",
    text: "digits 2 did not load: dims [63], model has [64]; 1 keeps serving",
  },
];

function listOf(scene: Scene): Row[] {
  if (scene === "rich") return rows;
  if (scene === "many") return [...rows, ...filler(5000)];
  if (scene === "inputs") return rowsOfInputs;
  if (scene === "odd") return oddRows;
  if (scene === "graphs") return graphRows;
  if (scene === "gpus") return rows.map((row, i) => ({ ...row, device: `GPU ${i % 2}` }));
  if (scene === "problems") return filler(300).map((row) => ({ ...row, errors: 1 }));
  if (scene === "answers")
    return oddModels.map((name) => ({ name, state: S.READY, versions: one, instances: 1 }));
  return [];
}

export function createWorld(scene: Scene): World {
  const list = listOf(scene);
  const gpus = scene === "gpus" ? gpusOf() : [];
  const models = list.map(summary);
  const listeners: World["listeners"] = new Set();
  const world: World = {
    repository: repositoryOf(scene, models),
    engine: create(EngineSchema, {
      state: Engine_State.READY,
      pid: 4711,
      device: "CPU",
      memoryBytes: 63_000_000n,
      cpuPercent: 34,
      httpAddress: "127.0.0.1:8000",
      grpcAddress: "127.0.0.1:8001",
      metricsAddress: "127.0.0.1:8002",
      reloadNote: "Saved files are reloaded automatically",
      requestsPerSecond: 41.2,
      runtime: "ONNX Runtime 1.30.0",
      gpus,
    }),
    gpus,
    models: new Map(models.map((model) => [model.name, model])),
    notices:
      scene === "rich" || scene === "many" ? notices.map((notice) => create(NoticeSchema, notice)) : [],
    texts: new Map(),
    seq: 1n,
    listeners,
    publish: (update) => {
      world.seq++;
      for (const listener of listeners) listener({ ...update, seq: world.seq });
    },
  };
  return world;
}
