// What the editor asks beside texts: names and where they are used, renames, comparisons, templates.
import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  type CompareResponseSchema,
  ExampleLine_Side,
  type FindNameResponseSchema,
  type PlanRenameResponseSchema,
} from "../../src/api/conch_pb";
import type { World } from "./world";

type TextOf = (world: World, model: string) => string;

/** The identifier that the cursor is on, and where it is in the text. */
export function findName(
  model: string,
  path: string,
  text: string,
  offset: number,
): MessageInitShape<typeof FindNameResponseSchema> {
  const from = offset - (/[^"\n]*$/.exec(text.slice(0, offset))?.[0].length ?? 0);
  const name = /^[^"\n]*/.exec(text.slice(from))?.[0] ?? "";
  const quoted = text[from - 1] === '"' && text[from + name.length] === '"';
  if (!quoted || name === "") return { found: false };
  const spots = text.split(`"${name}"`).slice(0, -1);
  const places = spots.map((_, i) => {
    const index = spots.slice(0, i + 1).join(`"${name}"`).length;
    const before = text.slice(0, index).split("\n");
    const line = text.split("\n")[before.length - 1] ?? "";
    return {
      model,
      path,
      from: index + 1,
      to: index + 1 + name.length,
      line: before.length,
      text: line.trim(),
      role: /name:/.test(line) ? "defined here" : "used by a step",
      definition: /name:/.test(line),
    };
  });
  return { found: true, title: `tensor "${name}" of ${model}`, name, from, to: from + name.length, places };
}

/** A rename of the name in its own file; of a whole model also of its folder. */
export function planRename(
  world: World,
  textOf: TextOf,
  asked: { model: string; path: string; text: string; offset: number; name: string; wholeModel: boolean },
): MessageInitShape<typeof PlanRenameResponseSchema> {
  const { model, name, wholeModel } = asked;
  if (name.trim() === "") return { problem: "A name is missing" };
  const text = wholeModel ? textOf(world, model) : asked.text;
  const old = wholeModel ? model : (findName(model, asked.path, text, asked.offset).name ?? "");
  const after = text.replaceAll(`"${old}"`, `"${name}"`);
  const lines = text
    .split("\n")
    .map((before, i) => ({ line: i + 1, before, after: after.split("\n")[i] ?? "" }))
    .filter((line) => line.before !== line.after);
  return {
    warning: wholeModel ? "" : `1/model.onnx has a tensor "${old}": it keeps its name`,
    files: lines.length > 0 ? [{ model, path: "config.pbtxt", text: after, version: "1", lines }] : [],
    folder: wholeModel ? model : "",
  };
}

/** A config beside its model file: agreement, a difference, filled-in values, long ones. */
export function comparison(model: string): MessageInitShape<typeof CompareResponseSchema> {
  const same = (label: string, value: string, depth = 0) => ({
    label,
    depth,
    file: value,
    effective: value,
    from: 1,
    to: 2,
  });
  return {
    modelFile: "2/model.onnx",
    note: "2/model.onnx: IR version 8, opset 17, made by a_converter_with_a_long_name 2.14.1",
    fields: [
      same("name", `"${model}"`),
      same("backend", '"onnxruntime"'),
      same("max_batch_size", "32"),
      { label: "input image", group: true, differs: true, from: 1, to: 2 },
      { ...same("data_type", "TYPE_FP32", 1), modelFile: "TYPE_FP32" },
      { ...same("dims", "[ 63 ]", 1), modelFile: "[ 64 ]", differs: true },
      { label: "shape in requests", depth: 1, effective: "[-1, 63]", modelFile: "[-1, 64]", differs: true },
      { label: "output probabilities_of_every_class_that_was_seen", group: true, from: 1, to: 2 },
      { ...same("data_type", "TYPE_FP32", 1), modelFile: "TYPE_FP32" },
      { ...same("dims", "[ 10 ]", 1), modelFile: "[ 10 ]" },
      same("label_filename", '"labels_of_all_classes_in_the_order_of_the_output_of_the_model.txt"', 1),
      {
        label: "version_policy",
        effective: "latest { num_versions: 1 }",
        reason: "Not in the file: the newest version is served",
      },
      {
        label: "instance_group",
        effective: '{ name: "digits" count: 2 kind: KIND_CPU }',
        reason: "Not in the file: the default of the backend on a machine with two cores",
      },
    ],
  };
}

export const explained = {
  rule: "ORT-IN3",
  title: "A tensor has another shape in the config than in the model",
  when: "An error, found when the model is loaded",
  means: "The dims in the config and the shape in the model file do not fit together.",
  why: "ONNX Runtime would refuse each request.",
  fix: "Write the shape that the model has, without the batch dimension.",
  triton: ["model '…', tensor '…': the model expects … dimensions (shape …)"],
  example: [
    { side: ExampleLine_Side.BOTH, text: "input {" },
    { side: ExampleLine_Side.BOTH, text: '  name: "image"' },
    { side: ExampleLine_Side.WRONG, text: "  dims: [ 63 ]" },
    { side: ExampleLine_Side.RIGHT, text: "  dims: [ 64 ]" },
    { side: ExampleLine_Side.BOTH, text: "}" },
  ],
};
