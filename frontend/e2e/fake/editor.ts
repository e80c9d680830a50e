import type { ConnectRouter, ServiceImpl } from "@connectrpc/connect";
import { Diagnostic_Severity, EditorService } from "../../src/api/conch_pb";
import { comparison, explained, findName, planRename } from "./editorMore";
import { oddText } from "./oddNames";
import type { World } from "./world";

const digitsText = `# Classifier for scikit-learn's handwritten digits
name: "digits"
backend: "onnxruntime"
max_batch_size: 32

input [
  {
    name: "image"
    data_type: TYPE_FP32
    dims: [ 63 ]
  }
]
output [
  {
    name: "probabilities"
    data_type: TYPE_FP32
    dims: [ 10 ]
    label_filename: "labels.txt"
  }
]
dynamic_batching {
  prefered_batch_size: [ 8, 16 ]
}
`;

const ensembleText = `name: "read_digit"
platform: "ensemble"
max_batch_size: 8
input [ { name: "IMAGE" data_type: TYPE_UINT8 dims: [ 28, 28 ] } ]
output [ { name: "DIGIT" data_type: TYPE_FP32 dims: [ 10 ] } ]
ensemble_scheduling {
  step [
    {
      model_name: "digits_prepare"
      model_version: -1
      input_map { key: "image" value: "IMAGE" }
      output_map { key: "prepared" value: "prepared" }
    },
    {
      model_name: "digits"
      model_version: -1
      input_map { key: "image" value: "prepared" }
      output_map { key: "probabilities" value: "DIGIT" }
    }
  ]
}
`;

const plain = (name: string) =>
  `name: "${name}"\nbackend: "onnxruntime"\nmax_batch_size: 8\n${name.startsWith("customer_") ? "dynamic_batching { prefered_batch_size: [ 8 ] }\n" : ""}`;

export function textOf(world: World, model: string): string {
  const first =
    oddText(model) ??
    (model === "digits" ? digitsText : model === "read_digit" ? ensembleText : plain(model));
  return world.texts.get(`${model}/config.pbtxt`) ?? first;
}

interface Pattern {
  find: RegExp;
  severity: Diagnostic_Severity;
  code: string;
  message: string;
  triton: string;
  title: string;
  insert: string;
}

const patterns: Pattern[] = [
  {
    find: /\b63\b/,
    severity: Diagnostic_Severity.ERROR,
    code: "ORT-IN3",
    message: 'Input "image" has 63 elements here, 64 in the model',
    triton:
      "model 'digits', tensor 'image': the model expects 2 dimensions (shape [-1,64]) but the model configuration specifies 2 dimensions (an initial batch dimension because max_batch_size > 0 followed by the explicit tensor shape, making complete shape [-1,63])",
    title: "Change dims to [ 64 ]",
    insert: "64",
  },
  {
    find: /prefered_batch_size/,
    severity: Diagnostic_Severity.ERROR,
    code: "TXT-4",
    message: 'No field "prefered_batch_size"; did you mean "preferred_batch_size"?',
    triton: 'Message type "inference.ModelDynamicBatching" has no field named "prefered_batch_size".',
    title: 'Change to "preferred_batch_size"',
    insert: "preferred_batch_size",
  },
  {
    find: /model_version: -1/,
    severity: Diagnostic_Severity.ADVICE,
    code: "ENS-9",
    message: "The newest version serves by default; this line can go",
    triton: "",
    title: "Remove the line",
    insert: "",
  },
];

/** Finds the patterns above; answers count UTF-16 code units, as the API does. */
export function diagnosticsOf(text: string, _model: string) {
  return patterns.flatMap((pattern) => {
    const match = pattern.find.exec(text);
    if (!match) return [];
    const to = match.index + match[0].length;
    const before = text.slice(0, match.index).split("\n");
    return [
      {
        severity: pattern.severity,
        code: pattern.code,
        message: pattern.message,
        triton: pattern.triton,
        from: match.index,
        to,
        line: before.length,
        column: (before.at(-1)?.length ?? 0) + 1,
        related: [],
        fixes: [{ title: pattern.title, edits: [{ from: match.index, to, insert: pattern.insert }] }],
      },
    ];
  });
}

function hintsOf(text: string) {
  return [...text.matchAll(/dims: \[ ?([\d, -]+?) ?\]/g)].map((match) => ({
    offset: match.index + match[0].length,
    text: `batch + dims = [-1, ${match[1]}]`,
  }));
}

const fields = [
  "name",
  "backend",
  "platform",
  "max_batch_size",
  "input",
  "output",
  "dynamic_batching",
  "instance_group",
  "parameters",
  "version_policy",
];

const version = (text: string) => `${text.length}-${text.charCodeAt(text.length >> 1)}`;

export function registerEditor(router: ConnectRouter, world: World): void {
  const all: ServiceImpl<typeof EditorService> = {
    readFile: ({ model, path }) => {
      const text = path === "labels.txt" ? "zero\none\ntwo\n" : textOf(world, model);
      return {
        text,
        version: version(text),
        exists: true,
        readOnly: model === "resnet50_trt",
        note: model === "resnet50_trt" ? "The folder is read-only: changes cannot be saved here" : "",
      };
    },
    saveFile: ({ model, path, text, baseVersion }) => {
      const disk = textOf(world, model);
      if (baseVersion !== version(disk))
        return { conflict: true, diskText: disk, diskVersion: version(disk), version: "" };
      world.texts.set(`${model}/${path}`, text);
      return { version: version(text), conflict: false };
    },
    analyze: ({ text, model, number }) => ({
      number,
      diagnostics: diagnosticsOf(text, model),
      hints: hintsOf(text),
    }),
    complete: ({ text, offset }) => {
      const from = offset - (/[\w]*$/.exec(text.slice(0, offset))?.[0].length ?? 0);
      return {
        from,
        to: offset,
        items: fields.map((label) => ({
          label,
          kind: "field",
          detail: "string",
          documentation: `What ${label} is for.`,
          insert: `${label}: `,
        })),
      };
    },
    hover: ({ text, offset }) => {
      const from = offset - (/\w*$/.exec(text.slice(0, offset))?.[0].length ?? 0);
      const word = /^\w*/.exec(text.slice(from))?.[0] ?? "";
      return {
        found: fields.includes(word),
        from,
        to: from + word.length,
        title: `${word}: string`,
        documentation: `The field ${word} of ModelConfig.`,
      };
    },
    format: ({ text }) => ({ text: text.replace(/[ \t]+$/gm, "") }),
    findName: ({ model, path, text, offset }) => findName(model, path, text, offset),
    planRename: (asked) => planRename(world, textOf, asked),
    writeFiles: ({ files }) => ({ files: files.map((file) => written(world, file)) }),
    renameModel: ({ model, name, files }) => {
      renameModel(world, model, name);
      return { files: files.map((file) => written(world, { ...file, model: name })) };
    },
    createFile: () => ({}),
    createFolder: () => ({}),
    moveFile: () => ({}),
    planDelete: ({ model, path }) => ({
      place: `/models/${model}/${path}`,
      count: 1,
      trash: "/home/me/.local/share/Trash",
    }),
    delete: () => ({ id: 1n }),
    undoDelete: () => ({}),
    compare: ({ model }) => comparison(model),
    draftConfig: ({ model }) => ({ text: textOf(world, model) }),
    fillTemplate: ({ model, text, values }) => {
      const filled = text.replace(/\$\{(\w+)\}/g, (whole, key) => values[key] || whole);
      return { text: filled, diagnostics: diagnosticsOf(filled, model) };
    },
    discardDrafts: () => ({}),
    restoreDrafts: () => ({}),
    findTensors: ({ text }) => ({
      tensors: ["image", "probabilities"]
        .filter((name) => name.includes(text))
        .map((name) => ({
          model: "digits",
          name,
          title: `${name === "image" ? "input" : "output"} "${name}" of digits`,
          detail: name === "image" ? "FP32 [-1, 64]" : "FP32 [-1, 10]",
          path: "config.pbtxt",
        })),
    }),
    readDraft: ({ model, path }) => ({
      draft: { model, path, text: world.texts.get(`${model}/${path}`) ?? 'name: "typed and never saved"\n' },
    }),
    explainRule: ({ rule }) => ({ ...explained, rule }),
  };
  router.service(EditorService, all);
}

type Write = { model: string; path: string; text: string };

function written(world: World, { model, path, text }: Write) {
  const before = textOf(world, model);
  world.texts.set(`${model}/${path}`, text);
  return { model, path, version: version(text), before };
}

function renameModel(world: World, model: string, name: string): void {
  const old = world.models.get(model);
  if (!old) return;
  world.models.delete(model);
  world.models.set(name, { ...old, name });
  world.publish({ removedModels: [model], models: [{ ...old, name }] });
}
