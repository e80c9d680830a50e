import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { defaultRandom, randomTensor } from "./tensor-random";

type Case = {
  readonly datatype: string;
  readonly seed: number;
  readonly count: number;
  readonly hex: string;
};

/** What the program makes too: app/conversion holds itself to the same table. */
const table = new URL("../../../app/conversion/testdata/random.json", import.meta.url);
const cases: Case[] = JSON.parse(readFileSync(fileURLToPath(table), "utf8"));

it.each(cases)("makes the values of the program: $datatype", ({ datatype, seed, count, hex }) => {
  const raw = randomTensor(datatype, count, { ...defaultRandom(datatype), seed });
  expect(Array.from(raw, (byte) => byte.toString(16).padStart(2, "0")).join("")).toBe(hex);
});
