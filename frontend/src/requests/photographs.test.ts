import { describe, expect, it } from "vitest";
import type { Conversion } from "../lib/image";
import { buildInput } from "./building";
import { fittedTo } from "./fileParts";
import {
  conversionOf,
  draftFromInput,
  fitDraft,
  type InputDraft,
  newDraft,
  type Slot,
  type TensorFile,
} from "./tryDrafts";

function slot(datatype: string, dims: number[]): Slot {
  const batch = dims.length === 4 ? 1 : undefined;
  return { spec: { name: "x", datatype, shape: dims.map(BigInt) }, place: 0, batch };
}

const draftOf = (s: Slot, patch: Partial<InputDraft>) => fitDraft(s, { ...newDraft(s), ...patch });

describe("photographs", () => {
  const photo = (width: number, height: number) =>
    ({
      name: "p.jpg",
      size: 0,
      kind: "picture",
      picture: { own: { width, height }, read: { width, height } },
    }) as TensorFile;
  const open = slot("UINT8", [-1, -1, 3]);
  const planes = slot("UINT8", [3, -1, -1]);
  const chosen = (s: Slot, draft: Partial<InputDraft>, ...files: TensorFile[]): InputDraft => {
    const now = draftOf(s, draft);
    return fitDraft(s, { ...now, source: "file", files, ...fittedTo(s, now, files) });
  };
  const [large, small] = [photo(900, 640), photo(30, 40)];

  it("give their size to a model that takes bytes of any size", () => {
    const first = chosen(open, {}, large);
    expect(first.shape).toEqual([640, 900, 3]);
    expect(chosen(open, first, small).shape).toEqual([40, 30, 3]);
    expect(chosen(planes, {}, large).shape).toEqual([3, 640, 900]);
    expect(chosen(slot("UINT8", [-1, 3, -1, -1]), {}, large).shape).toEqual([1, 3, 640, 900]);
  });
  it("leave sides that a person has chosen, and the sizes of models that take other numbers", () => {
    const typed = chosen(open, { sides: "typed", shape: [320, 320, 3] }, large);
    expect(typed.shape).toEqual([320, 320, 3]);
    expect(chosen(open, chosen(open, typed), small).shape).toEqual([320, 320, 3]);
    expect(chosen(open, { sides: "typed" }, large).shape).toEqual([224, 224, 3]);
    expect(chosen(slot("FP32", [-1, 3, -1, -1]), {}, large).shape).toEqual([1, 3, 224, 224]);
    expect(chosen(slot("UINT8", [-1, 1, 28, 28]), {}, large).shape).toEqual([1, 1, 28, 28]);
  });
  it("take their sides with them: when they are removed, and when others come", () => {
    const first = chosen(planes, {}, large);
    expect(chosen(planes, first)).toMatchObject({ shape: [3, 224, 224], sides: undefined });
    expect(chosen(planes, chosen(planes, first), small).shape).toEqual([3, 40, 30]);
    expect(chosen(planes, first, large, small).shape).toEqual([3, 640, 900]);
    expect(chosen(planes, first, small, small).shape).toEqual([3, 224, 224]);
  });
  it("have the conversion that was chosen in their own size", () => {
    const first = chosen(open, {}, large);
    const conversion = { ...(conversionOf(open, first) as Conversion), invert: true };
    const second = chosen(open, { ...first, conversion }, small);
    expect(second).toMatchObject({ shape: [40, 30, 3], conversion: { width: 30, height: 40, invert: true } });
  });
  it.each([
    ["of a picture that was not kept go with it", "file", [3, 224, 224], [3, 40, 30]],
    ["that were typed stay", "typed", [3, 8, 8], [3, 8, 8]],
  ] as const)("come back with an earlier request: sides %s", async (_, sides, again, next) => {
    const input = await buildInput(planes, {
      ...draftOf(planes, {}),
      source: "random",
      shape: [3, 8, 8],
      sides,
      files: [large],
    });
    const lost = fitDraft(planes, draftFromInput({ ...input, data: { case: undefined } }));
    expect(lost.shape).toEqual(again);
    expect(chosen(planes, lost, small).shape).toEqual(next);
    expect(fitDraft(planes, draftFromInput(input)).shape).toEqual([3, 8, 8]); // its values fill these sides
  });
});
