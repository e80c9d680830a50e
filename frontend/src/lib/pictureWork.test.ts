import { expect, it, vi } from "vitest";
import { defaultConversion } from "./image";
import { createWork, sizeOf, undecoded } from "./pictureWork";

const file = new Blob(["a picture"]);
const white = (side: number) => ({
  pixels: { width: side, height: side, data: new Uint8Array(side * side * 4).fill(255) },
  own: { width: side, height: side },
});
const conversion = defaultConversion({ width: 2, height: 2, channels: 1, layout: "HWC" }, "UINT8");

it("decodes a picture once, and converts it as often as it is asked", async () => {
  const decode = vi.fn(async () => white(4));
  const work = createWork(decode);
  expect(await work({ picture: 1, file })).toMatchObject({ read: { width: 4, height: 4 } });
  const { converted } = await work({ picture: 1, file, wanted: { conversion, datatype: "UINT8" } });
  expect([...(converted?.raw ?? [])]).toEqual([255, 255, 255, 255]);
  expect(converted?.view).toMatchObject({ width: 2, height: 2 });
  expect(decode).toHaveBeenCalledTimes(1);
});

it("keeps the pixels of the last pictures only, and decodes the others again", async () => {
  const side = 4096; // 64 MB of pixels
  const decoded = white(side);
  const decode = vi.fn(async () => decoded);
  const work = createWork(decode);
  for (const picture of [1, 2, 3, 4, 5]) await work({ picture, file });
  expect(decode).toHaveBeenCalledTimes(5);
  await work({ picture: 5, file });
  expect(decode).toHaveBeenCalledTimes(5);
  await work({ picture: 1, file });
  expect(decode).toHaveBeenCalledTimes(6);
});

it("takes the pixels of the page where it cannot decode", async () => {
  const work = createWork(async () => undefined);
  await expect(work({ picture: 1, file })).rejects.toThrow(undecoded);
  await work({ picture: 1, file, decoded: white(4) });
  expect(await work({ picture: 1, file })).toMatchObject({ read: { width: 4 } });
});

it("knows the size of a file whose pixels it reduces", async () => {
  expect(sizeOf({ width: 6000, height: 3000 })).toEqual({ width: 4096, height: 2048 });
  const own = { width: 6000, height: 6000 };
  const work = createWork(async () => ({ ...white(4), own }));
  expect(await work({ picture: 1, file })).toMatchObject({ own, read: { width: 4, height: 4 } });
});

it("tells whether parts of a picture are transparent", async () => {
  const work = createWork(async () => undefined);
  const decoded = white(4);
  expect((await work({ picture: 1, file, decoded })).transparent).toBe(false);
  decoded.pixels.data[7] = 254;
  expect((await work({ picture: 2, file, decoded })).transparent).toBe(true);
});
