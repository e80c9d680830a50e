/** Parts of a tensor that are made when they are needed, and pictures as such parts. */
import { count, grouped, typeAndShape } from "../lib/format";
import { type Conversion, leastSide, mostSide } from "../lib/image";
import { type Picture, pictureOf } from "../lib/picture";
import { elementCount } from "../lib/tensor";
import { conversionOf, type Drawing, type InputDraft, openSides, type Slot } from "./tryDrafts";

export type Part = () => Uint8Array | Promise<Uint8Array>;

/** What a person gave for an input. */
export type Given = {
  readonly parts: readonly Part[];
  readonly perRow: number; // how many of them a row takes
  readonly noun: string;
  readonly size?: string; // of pictures, as they are converted
};

/** Nothing was given yet: the form asks for it, and only a request that was sent makes it a mistake. */
export class NothingYet extends Error {}

/** The file that was chosen last could not be read: what was there before it is not sent in its place. */
export class RefusedFile extends Error {}

/** The elements of one row of the batch; of the whole tensor where there is no batch. */
export function rowOf({ batch }: Slot, { shape }: InputDraft): number {
  return elementCount(batch === undefined ? shape : shape.slice(1));
}

/** The tensor as the subject of a sentence. */
export function rowPhrase({ spec, batch }: Slot, draft: InputDraft): string {
  const tensor = typeAndShape(spec.datatype, draft.shape);
  return batch === undefined || batch === 1 ? tensor : `each row of ${tensor}`;
}

/** How many pictures a row holds. */
export function picturesPerRow(slot: Slot, draft: InputDraft): number {
  const conversion = conversionOf(slot, draft);
  if (!conversion) throw noPicture(slot, draft);
  const { width, height, channels } = conversion;
  const one = width * height * channels;
  const row = rowOf(slot, draft);
  if (row >= one && row % one === 0) return row / one;
  throw new Error(
    `${sizeText(conversion)} is ${count(one, "value")}; ${rowPhrase(slot, draft)} takes ${grouped(row)}. Change the size in the conversion`,
  );
}

/** What pictures give. */
export function picturesGiven(slot: Slot, draft: InputDraft, noun: string, parts: readonly Part[]): Given {
  const perRow = picturesPerRow(slot, draft);
  const conversion = conversionOf(slot, draft);
  return { parts, perRow, noun, size: conversion && sizeText(conversion) };
}

const sizeText = ({ width, height, channels }: Conversion) => `${width} × ${height} × ${channels}`;

/** A picture as the model gets it. */
export function picturePart(slot: Slot, draft: InputDraft, picture: Picture): Part {
  return async () => {
    const conversion = conversionOf(slot, draft);
    if (!conversion) throw noPicture(slot, draft);
    return (await picture.converted(conversion, slot.spec.datatype)).raw;
  };
}

function noPicture(slot: Slot, draft: InputDraft): Error {
  const tensor = typeAndShape(slot.spec.datatype, draft.shape);
  const [height, width] = openSides(slot) ?? [];
  const where =
    height !== undefined && width !== undefined
      ? `: dimensions ${height + 1} and ${width + 1} are its height and width, ${leastSide} to ${mostSide} each`
      : "";
  return new Error(`${tensor} does not have the shape of a picture${where}`);
}

const inked = new WeakMap<Drawing, Picture>();

/** Ink is light and paper dark, as in the pictures that digit models are trained with; `invert` turns it round. */
export function inkPicture(drawing: Drawing): Picture {
  const known = inked.get(drawing);
  if (known) return known;
  const { width, height, ink } = drawing;
  const data = new Uint8ClampedArray(ink.length * 4);
  for (const [i, value] of ink.entries()) data.set([value, value, value, 255], i * 4);
  const picture = pictureOf({ width, height, data });
  inked.set(drawing, picture);
  return picture;
}
