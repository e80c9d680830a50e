import { create } from "@bufbuild/protobuf";
import { Code, ConnectError, type ConnectRouter, type ServiceImpl } from "@connectrpc/connect";
import {
  GraphNode_Kind,
  ModelService,
  ModelState,
  ModelSummarySchema,
  Notice_Level,
  NoticeSchema,
  VersionSchema,
} from "../../src/api/conch_pb";
import { oddSpecs } from "./answers";
import { textOf } from "./editor";
import { graphNamed } from "./graphs";
import { inputsOf } from "./inputs";
import { oddGraph, oddTensors } from "./oddNames";
import { fakeWorkers, files } from "./workers";
import type { World } from "./world";

const tensor = (name: string, datatype: string, dims: number[]) => ({
  name,
  datatype,
  dims: dims.map(BigInt),
  shape: [-1n, ...dims.map(BigInt)],
  labels: datatype === "FP32" && dims[0] === 10 ? ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"] : [],
});

function specs(name: string) {
  const odd = oddSpecs(name);
  if (odd) return odd;
  if (name === "read_digit")
    return { inputs: [tensor("IMAGE", "UINT8", [28, 28])], outputs: [tensor("DIGIT", "FP32", [10])] };
  if (name === "digits")
    return { inputs: [tensor("image", "FP32", [64])], outputs: [tensor("probabilities", "FP32", [10])] };
  return {
    inputs: [tensor("INPUT0", "INT32", [16]), tensor("INPUT1", "INT32", [16])],
    outputs: [tensor("OUTPUT0", "INT32", [16]), tensor("OUTPUT1", "INT32", [16])],
  };
}

const graph = {
  nodes: [
    {
      id: "input:IMAGE",
      kind: GraphNode_Kind.INPUT,
      label: "IMAGE",
      outputs: [tensor("IMAGE", "UINT8", [28, 28])],
    },
    {
      id: "step:0",
      kind: GraphNode_Kind.STEP,
      label: "digits_prepare",
      model: "digits_prepare",
      modelKind: "ONNX",
      modelVersion: -1n,
      inputs: [tensor("image", "UINT8", [28, 28])],
      outputs: [tensor("prepared", "FP32", [64]), tensor("ink", "FP32", [1])],
    },
    {
      id: "step:1",
      kind: GraphNode_Kind.STEP,
      label: "digits",
      model: "digits",
      modelKind: "ONNX",
      modelVersion: -1n,
      inputs: [tensor("image", "FP32", [64])],
      outputs: [tensor("probabilities", "FP32", [10])],
    },
    {
      id: "step:2",
      kind: GraphNode_Kind.STEP,
      label: "blank_page",
      model: "blank_page",
      modelKind: "Python",
      modelVersion: -1n,
      inputs: [tensor("ink", "FP32", [2])],
      outputs: [tensor("is_blank", "BOOL", [1])],
    },
    {
      id: "output:DIGIT",
      kind: GraphNode_Kind.OUTPUT,
      label: "DIGIT",
      inputs: [tensor("DIGIT", "FP32", [10])],
    },
    {
      id: "output:BLANK",
      kind: GraphNode_Kind.OUTPUT,
      label: "BLANK",
      inputs: [tensor("BLANK", "BOOL", [1])],
    },
  ],
  edges: [
    {
      id: "e0",
      source: "input:IMAGE",
      sourcePort: "IMAGE",
      target: "step:0",
      targetPort: "image",
      tensor: "IMAGE",
      datatype: "UINT8",
      shape: [-1n, 28n, 28n],
    },
    {
      id: "e1",
      source: "step:0",
      sourcePort: "prepared",
      target: "step:1",
      targetPort: "image",
      tensor: "prepared",
      datatype: "FP32",
      shape: [-1n, 64n],
      offset: 420,
    },
    {
      id: "e2",
      source: "step:0",
      sourcePort: "ink",
      target: "step:2",
      targetPort: "ink",
      tensor: "ink",
      datatype: "FP32",
      shape: [-1n, 1n],
      problem: "digits_prepare gives FP32 [-1, 1], blank_page takes FP32 [-1, 2]",
    },
    {
      id: "e3",
      source: "step:1",
      sourcePort: "probabilities",
      target: "output:DIGIT",
      targetPort: "DIGIT",
      tensor: "DIGIT",
      datatype: "FP32",
      shape: [-1n, 10n],
    },
    {
      id: "e4",
      source: "step:2",
      sourcePort: "is_blank",
      target: "output:BLANK",
      targetPort: "BLANK",
      tensor: "BLANK",
      datatype: "BOOL",
      shape: [-1n, 1n],
    },
  ],
};

const drafted = `backend: "onnxruntime"
max_batch_size: 8
input [
  {
    name: "image"
    data_type: TYPE_FP32
    dims: [ 3, 224, 224 ]
  }
]
output [
  {
    name: "probabilities"
    data_type: TYPE_FP32
    dims: [ 1000 ]
  }
]
`;

function setState(world: World, name: string, state: ModelState, text: string): void {
  const old = world.models.get(name);
  if (!old) return;
  const model = create(ModelSummarySchema, {
    ...old,
    state,
    reason: "",
    versions: [create(VersionSchema, { number: 1n, state, reason: "" })],
  });
  world.models.set(name, model);
  const notice = create(NoticeSchema, {
    id: BigInt(Date.now()),
    time: BigInt(Date.now()),
    level: Notice_Level.INFO,
    model: name,
    text,
  });
  world.publish({ models: [model], notices: [notice] });
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function load(world: World, name: string) {
  if (name === "postprocess")
    throw new ConnectError(
      "failed to load 'postprocess', failed to poll from model repository: No module named 'cv2'",
      Code.FailedPrecondition,
    );
  setState(world, name, ModelState.LOADING, `${name} is loading`);
  await pause(600);
  setState(world, name, ModelState.READY, `${name} loaded in 38 ms`);
  return { tookMs: 38 };
}

export function registerModels(router: ConnectRouter, world: World): void {
  const all: ServiceImpl<typeof ModelService> = {
    getModel: ({ name }) => {
      const summary = world.models.get(name);
      if (!summary) throw new ConnectError(`there is no model "${name}" in this repository`, Code.NotFound);
      return {
        summary,
        maxBatchSize: 32,
        ...(oddTensors(name) ?? inputsOf(name) ?? specs(name)),
        fromEngine: true,
        backend: "onnxruntime",
        dynamicBatching: name === "digits",
        files: files(),
      };
    },
    findDevices: () => ({ devices: ["CPU"] }),
    ...fakeWorkers,
    load: ({ name }) => load(world, name),
    unload: ({ name }) => {
      setState(world, name, ModelState.UNLOADED, `${name} unloaded`);
      return {};
    },
    loadAll: () => ({
      loaded: ["ocr_pipeline"],
      failed: [{ name: "postprocess", reason: "No module named 'cv2'" }],
    }),
    listKinds: () => ({
      kinds: [
        { backend: "onnxruntime", label: "ONNX", note: "runs model.onnx" },
        { backend: "ensemble", label: "Ensemble", note: "joins other models" },
        ...["TensorFlow", "OpenVINO", "PyTorch", "Python"].map((label) => ({
          backend: label.toLowerCase(),
          label,
          note: `runs model.${label.toLowerCase()}`,
          needs:
            label === "PyTorch"
              ? "torch is not installed: /usr/bin/python3 lacks it. Create the model, and press Install on its page, which installs torch for Conch alone; or install it yourself: /usr/bin/python3 -m pip install torch"
              : "",
        })),
        ...["TensorRT"].map((label) => ({
          backend: label.toLowerCase(),
          label,
          note: "",
          lacks: `This engine has no backend "${label.toLowerCase()}". ${label} models can be made, edited, checked and exported here, and run where a Triton has it.`,
        })),
      ],
    }),
    addFiles: ({ folder }) => ({ paths: [folder === "" ? "weights.bin" : `${folder}/weights.bin`] }),
    beginUpload: () => ({ upload: "upload", pieceBytes: 1 << 20, maxBytes: 1n << 36n }),
    writeUpload: () => ({}),
    discardUpload: () => ({}),
    draftModel: () => ({
      name: "resnet50",
      backend: "onnxruntime",
      label: "ONNX",
      config: drafted,
      files: ["1/model.onnx"],
    }),
    createModel: ({ name }) => {
      if (world.models.has(name))
        throw new ConnectError(`there is a model "${name}" already`, Code.AlreadyExists);
      const model = create(ModelSummarySchema, {
        name,
        kind: "ONNX",
        runtime: "ONNX Runtime",
        state: ModelState.UNLOADED,
        configPath: "config.pbtxt",
      });
      world.models.set(name, model);
      world.publish({ models: [model] });
      return {};
    },
    getEffectiveConfig: ({ name, text }) => {
      const own = text ?? textOf(world, name);
      const added =
        'version_policy {\n  latest {\n    num_versions: 1\n  }\n}\ninstance_group {\n  name: "digits"\n  count: 2\n  kind: KIND_CPU\n}\n';
      const first = own.split("\n").length;
      return {
        text: own + added,
        filled: [
          { path: "version_policy", reason: "not in the file: the newest version is served", line: first },
          { path: "instance_group", reason: "not in the file: the backend's default", line: first + 5 },
        ],
      };
    },
    getGraph: ({ name }) => oddGraph(name) ?? graphNamed(name) ?? graph,
    setReload: () => ({}),
    stopLoad: () => ({}),
    install: () => ({}),
  };
  router.service(ModelService, all);
}
