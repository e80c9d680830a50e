import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { describe, expect, it, vi } from "vitest";
import { GetModelResponseSchema, InferRequestSchema } from "../api/conch_pb";
import { defaultConversion } from "../lib/image";
import { pictureAgain } from "../lib/picture";
import { draftFromInput } from "./earlier";
import { withPictures } from "./pictures";
import { getTry } from "./tries";
import type { InputDraft } from "./tryDrafts";

const shape = [1, 3, 224, 224];
const model = create(GetModelResponseSchema, {
  summary: { name: "m" },
  mostPictureBytes: 16 * 1024 * 1024,
  inputs: [{ name: "x", datatype: "FP32", shape: shape.map(BigInt), dims: shape.map(BigInt) }],
});
const data = { case: "raw" as const, value: new Uint8Array(4 * 3 * 224 * 224) };

/** An input of a request as it comes back from the history. */
async function again(draft: Partial<InputDraft>, mode: "form" | "json" = "form") {
  const built = create(InferRequestSchema, {
    inputs: [{ name: "x", datatype: "FP32", shape: shape.map(BigInt), data }],
  });
  const x = { source: "file", shape, skip: false, ...draft } as InputDraft;
  const sent = await withPictures(model, { ...getTry("m"), mode, inputs: { x } }, built);
  const [input] = fromBinary(InferRequestSchema, toBinary(InferRequestSchema, sent)).inputs;
  if (!input) throw new Error("the input is gone");
  return { input, draft: draftFromInput(input) };
}

const photo = (bytes: number) => {
  const file = new Blob([new Uint8Array(bytes).fill(7)], { type: "image/jpeg" });
  const sizes = { own: { width: 900, height: 640 }, read: { width: 450, height: 320 }, transparent: true };
  return { kind: "picture" as const, name: "p.jpg", size: bytes, picture: pictureAgain(file, sizes) };
};

describe("pictures of an earlier request", () => {
  const conversion = {
    ...defaultConversion({ width: 224, height: 224, channels: 3, layout: "CHW" }, "FP32"),
    fit: "fill" as const,
  };

  it("come back as files with how they were converted", async () => {
    const { draft } = await again({ files: [photo(1000)], conversion, repeat: true });
    expect(draft).toMatchObject({ source: "file", conversion, repeat: true });
    const [file] = draft.files ?? [];
    expect(file).toMatchObject({ kind: "picture", name: "p.jpg", size: 1000 });
    const { own, read, transparent, file: blob } = photo(1000).picture;
    const kept = file?.kind === "picture" ? file.picture : undefined;
    expect(kept).toMatchObject({ own, read, transparent });
    expect(kept?.file?.type).toBe("image/jpeg");
    expect(await kept?.file?.arrayBuffer()).toEqual(await blob?.arrayBuffer());
  });
  it("of BYTES come back as the files that they are", async () => {
    const raw = new Uint8Array(5).fill(9);
    const files = [{ kind: "element" as const, name: "p.png", size: 5, raw, media: "image/png" }];
    expect((await again({ files })).draft.files).toEqual(files);
  });
  it("that were drawn come back as drawings of any size", async () => {
    const drawing = { width: 20, height: 10, ink: new Uint8Array(200).fill(3) };
    expect((await again({ source: "draw", drawing })).draft).toMatchObject({ source: "draw", drawing });
  });
  it("that are too large are told by name, with the bytes that were sent or without", async () => {
    const { input, draft } = await again({ files: [photo(17 * 1024 * 1024)] });
    expect(draft.files?.[0]).toMatchObject({
      kind: "raw",
      name: "bytes made of p.jpg, which the history does not have",
    });
    const lost = draftFromInput({ ...input, data: { case: undefined } });
    expect(lost.refused).toBe("The history does not have p.jpg any more: choose it again");
  });
  it("are not read and kept in part where not all have room", async () => {
    const files = [photo(1000), photo(17 * 1024 * 1024)];
    const read = vi.spyOn(Blob.prototype, "arrayBuffer");
    const { input, draft } = await again({ files });
    expect(read).not.toHaveBeenCalled();
    expect(input.pictures?.list.map(({ content }) => content.length)).toEqual([0, 0]);
    expect(draft.files?.[0]).toMatchObject({ kind: "raw" });
  });
  it("are not those of a request that was typed as JSON, or of other files", async () => {
    expect((await again({ files: [photo(1000)] }, "json")).input.pictures).toBeUndefined();
    const other = { kind: "raw" as const, name: "x.bin", size: 4, raw: new Uint8Array(4) };
    expect((await again({ files: [photo(1000), other] })).input.pictures).toBeUndefined();
  });
  it("keep no conversion that this version does not know", async () => {
    const odd = { ...conversion, fit: "odd" } as never;
    expect((await again({ files: [photo(10)], conversion: odd })).draft.conversion).toBeUndefined();
  });
});
