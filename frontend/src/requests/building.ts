/** The tensor that a draft stands for. Every error is a sentence that can be shown beside its input. */
import { create } from "@bufbuild/protobuf";
import { type InferInput, InferInputSchema } from "../api/conch_pb";
import { bytes, count, grouped, typeAndShape } from "../lib/format";
import { elementCount, elementSize, isDatatype } from "../lib/tensor";
import { noSuchType } from "../lib/tensor-json";
import { overreaches, randomTensor } from "../lib/tensor-random";
import { fileParts } from "./fileParts";
import { isLong, readLong } from "./longTexts";
import {
  type Given,
  inkPicture,
  NothingYet,
  type Part,
  picturePart,
  picturesGiven,
  RefusedFile,
  rowOf,
  rowPhrase,
} from "./parts";
import { fillRows } from "./rows";
import { exampleValues, type InputDraft, randomOf, type Slot, type Source } from "./tryDrafts";
import { readValues } from "./typed";

/** What will be sent; cheap to make, so that the form can say at once what is wrong. */
export type Plan = {
  readonly parts: readonly Part[];
  readonly repeated?: number; // how many parts were given, where they come again to fill the batch
  /** Of a long text: what is wrong with it, or whether it is repeated, is known later. */
  readonly later?: () => Promise<Pick<Plan, "repeated">>;
};

/** The tensor of a draft. */
export async function buildInput(slot: Slot, draft: InputDraft): Promise<InferInput> {
  const { name, datatype } = slot.spec;
  const value = await joined(planOf(slot, draft).parts);
  return create(InferInputSchema, {
    name,
    datatype,
    shape: draft.shape.map(BigInt),
    data: { case: "raw", value },
    sidesOfFile: draft.sides === "file",
  });
}

async function joined(parts: readonly Part[]): Promise<Uint8Array> {
  const made = new Map<Part, Uint8Array>();
  for (const part of parts) if (!made.has(part)) made.set(part, await part());
  const list = parts.map((part) => made.get(part) as Uint8Array);
  if (list.length === 1) return list[0] as Uint8Array;
  const all = new Uint8Array(list.reduce((sum, bytes) => sum + bytes.length, 0));
  let at = 0;
  for (const bytes of list) {
    all.set(bytes, at);
    at += bytes.length;
  }
  return all;
}

/** Larger tensors are refused here: the window would need several times their size to hold them. */
const largest = 512 * 1024 * 1024;

/** How the tensor is made. Throws an Error, or a RowsError where the batch is not full. */
export function planOf(slot: Slot, draft: InputDraft): Plan {
  const { datatype } = slot.spec;
  if (!isDatatype(datatype)) throw new Error(noSuchType(datatype));
  if (draft.refused) throw new RefusedFile(draft.refused);
  const unfinished = unfinishedOf(draft);
  if (unfinished) throw new Error(unfinished);
  if (elementCount(draft.shape) * Math.max(1, elementSize(datatype)) > largest)
    throw new Error(
      `${typeAndShape(datatype, draft.shape)} is more than ${bytes(largest)}: choose smaller dimensions`,
    );
  switch (draft.source) {
    case "values":
      return typed(slot, draft);
    case "random":
      return random(slot, draft);
    case "draw":
      return filled(slot, draft, picturesGiven(slot, draft, "drawing", [drawn(slot, draft)]));
    case "file":
      return filled(slot, draft, fileParts(slot, draft));
  }
}

const fieldsOf: Record<Source, readonly string[]> = {
  values: ["dim"],
  random: ["dim", "random"],
  draw: ["dim", "conversion"],
  file: ["dim", "conversion"],
};

/** A field whose text is no number blocks the request while it is on the form. */
function unfinishedOf({ source, unfinished = {} }: InputDraft): string | undefined {
  const shown = Object.keys(unfinished).find((key) => fieldsOf[source].includes(key.split(".")[0] ?? ""));
  return shown && unfinished[shown]?.problem;
}

function filled(slot: Slot, draft: InputDraft, { parts, perRow, noun, size }: Given): Plan {
  const wanted = (slot.batch ?? 1) * perRow;
  const repeat = draft.repeat ?? false;
  if (
    (slot.batch === undefined || perRow !== 1) &&
    parts.length !== wanted &&
    !(repeat && parts.length < wanted)
  ) {
    const tensor = typeAndShape(slot.spec.datatype, draft.shape);
    const each = size ? ` of ${size}` : "";
    const advice = size && draft.conversion ? ". Change the size in the conversion" : "";
    throw new Error(`${tensor} takes ${count(wanted, noun)}${each}; ${given(parts.length)} given${advice}`);
  }
  const all = fillRows(parts, { wanted, repeat, noun });
  return { parts: all, repeated: all === parts ? undefined : parts.length };
}

const given = (n: number) => (n === 1 ? "1 was" : `${grouped(n)} were`);

function random(slot: Slot, draft: InputDraft): Plan {
  const { datatype } = slot.spec;
  const settings = randomOf(slot, draft);
  const wrong = overreaches(datatype, settings);
  if (wrong) throw new Error(wrong);
  return { parts: [() => randomTensor(datatype, elementCount(draft.shape), settings)] };
}

function typed(slot: Slot, draft: InputDraft): Plan {
  const { datatype } = slot.spec;
  const text = draft.values ?? exampleValues(slot, draft);
  const reading = draft.values === undefined && elementCount(draft.shape) === 1 ? "text" : draft.reading;
  const row = rowOf(slot, draft);
  const takes = capital(rowPhrase(slot, draft));
  if (datatype !== "BYTES" && row > 0 && text.trim() === "")
    throw new NothingYet(
      `${takes} takes ${count(row, "value")}: type ${row === 1 ? "it" : "them"}, or choose a file or random values`,
    );
  const entered = { datatype, text, reading, row, batch: slot.batch, repeat: draft.repeat ?? false, takes };
  if (isLong(text)) {
    const later = () => readLong(entered);
    return { parts: [async () => (await later()).raw], later };
  }
  const { raw, repeated } = readValues(entered);
  return { parts: [() => raw], repeated };
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

function drawn(slot: Slot, draft: InputDraft): Part {
  if (!draft.drawing)
    throw new NothingYet("Nothing is drawn yet: draw with the mouse, or use the empty page");
  return picturePart(slot, draft, inkPicture(draft.drawing));
}
