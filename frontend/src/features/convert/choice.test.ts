import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { ConvertedTensorSchema, DescribeConversionResponseSchema } from "../../api/conch_pb";
import { aboutRandom, type Choice, exampleOf, firstChoice, problemsOf, requestOf, versionOf } from "./choice";
import { isGuess, readRange } from "./ranges";

const image = create(ConvertedTensorSchema, {
  name: "image",
  datatype: "FP32",
  shape: [-1n, 64n],
  input: true,
});
const choice: Choice = { ...firstChoice("digits"), target: "tensorrt", workspace: "64" };

const firstProfile = { id: 0, ranges: {} };

test("a plan has a range for each input whose sizes vary", () => {
  const request = requestOf("digits", choice, [image], 32);
  expect(request).toMatchObject({
    becomes: "digits_trt",
    plan: { precision: "fp16", workspace: 64n << 20n },
  });
  expect(requestOf("digits", { ...choice, gpu: 1 }, [image], 32).plan?.gpu).toBe(1);
  expect(request.plan?.profiles).toMatchObject([
    { ranges: [{ input: "image", least: [1n, 64n], best: [8n, 64n], largest: [32n, 64n] }] },
  ]);
  expect(readRange(image, "1x3, 2 x 3,4x3").best).toEqual([2n, 3n]);
});

test("the first guess for a picture of any size is the size of those that Try and random values send", () => {
  const picture = create(ConvertedTensorSchema, { ...image, shape: [-1n, 3n, -1n, -1n] });
  const [profile] = requestOf("digits", choice, [picture], 4).plan?.profiles ?? [];
  const sides = [3n, 224n, 224n];
  expect(profile?.ranges).toMatchObject([
    { least: [1n, ...sides], best: [4n, ...sides], largest: [4n, ...sides] },
  ]);
});

test("the first guess for an input of any length takes more than one length, and is called a guess", () => {
  const guess = (shape: bigint[], most: number) => {
    const ids = create(ConvertedTensorSchema, { ...image, datatype: "INT64", shape });
    const { least, best, largest } =
      requestOf("text", choice, [ids], most).plan?.profiles[0]?.ranges[0] ?? {};
    return { shapes: [least, best, largest].join(" "), guess: isGuess(firstProfile, ids, most) };
  };
  expect(guess([-1n, -1n], 4)).toEqual({ shapes: "1,1 4,128 4,512", guess: true });
  expect(guess([-1n, -1n], 0)).toEqual({ shapes: "1,1 8,128 8,512", guess: true });
  expect(guess([-1n], 0)).toEqual({ shapes: "1 128 512", guess: true });
  expect(guess([-1n, 64n], 0)).toEqual({ shapes: "1,64 8,64 8,64", guess: true });
  expect(guess([-1n, 64n], 32)).toEqual({ shapes: "1,64 8,64 32,64", guess: false });
  expect(
    isGuess(
      { id: 0, ranges: { image: "1x2" } },
      create(ConvertedTensorSchema, { ...image, shape: [-1n] }),
      0,
    ),
  ).toBe(false);
});

test("a plan has the profiles in their order, and none where no size varies", () => {
  const several: Choice = {
    ...choice,
    profiles: [
      { id: 4, ranges: {} },
      { id: 1, ranges: { image: "33x64, 40x64, 64x64" } },
    ],
  };
  const { plan } = requestOf("digits", several, [image], 32);
  expect(plan?.profiles.map(({ ranges }) => ranges.map(({ best }) => best))).toEqual([
    [[8n, 64n]],
    [[40n, 64n]],
  ]);
  const fixed = create(ConvertedTensorSchema, { ...image, shape: [1n, 64n] });
  expect(requestOf("digits", several, [fixed], 0).plan?.profiles).toEqual([]);
});

test("what is wrong is told at its field", () => {
  const wrong = (text: string) =>
    problemsOf(
      {
        ...choice,
        profiles: [
          { id: 0, ranges: {} },
          { id: 1, ranges: { image: text } },
        ],
      },
      [image],
      32,
    );
  expect(wrong("1x64, 8x64, 32x64")).toEqual({});
  expect(wrong("1x64")).toEqual({ "range 1 image": "Write three shapes, such as 1x64, 8x64, 32x64" });
  expect(wrong("1x64, 8x64x1, 32x64")).toEqual({ "range 1 image": "8x64x1 has 3 sizes, and image has 2" });
  expect(wrong("8x64, 1x64, 32x64")).toEqual({ "range 1 image": "Each size must be least ≤ best ≤ largest" });
  for (const workspace of ["much", "1".repeat(20)])
    expect(problemsOf({ ...choice, workspace }, [image], 32).workspace).toContain("a number of MiB");
  expect(problemsOf({ ...choice, target: "fp16", workspace: "much" }, [image], 32)).toEqual({});
});

test("what is said of random values is true of the choice", () => {
  const random: Choice = { ...firstChoice("digits"), random: 8 };
  expect(aboutRandom(random, 0)).toBe(
    "Random values are not your data: the differences say little of real requests.",
  );
  expect(aboutRandom({ ...random, target: "int8" }, 0)).toContain(
    "INT8 may take wrong ranges from them, and ",
  );
  expect(aboutRandom(random, 3)).toBe(
    "Random values are not your data: the largest differences may be theirs.",
  );
  expect(aboutRandom({ ...random, target: "int8", typed: true }, 0)).toContain(
    "INT8 takes its ranges from them too, and ",
  );
  expect(aboutRandom({ ...random, target: "int8", dynamic: true }, 3)).not.toContain("INT8");
});

test("FP16, INT8 and plans begin with the versions that the program names", () => {
  const of = create(DescribeConversionResponseSchema, {
    versions: [{ version: 1n }, { version: 2n, narrowed: "FP16" }, { version: 3n, narrowed: "INT8" }],
    usual: 1n,
    usualOfPlan: 2n,
  });
  const first = firstChoice("digits");
  expect(versionOf(first, of)?.version).toBe(1n);
  expect(versionOf({ ...first, target: "tensorrt" }, of)?.version).toBe(2n);
  expect(versionOf({ ...first, version: 2n }, of)?.version).toBe(2n);
});

test("operators that stay in FP32 are asked for of FP16 alone", () => {
  const kept: Choice = { ...firstChoice("digits"), keep: " Exp, Softmax " };
  expect(requestOf("digits", kept, [], 0).keep).toEqual(["Exp", "Softmax"]);
  expect(requestOf("digits", { ...kept, target: "int8" }, [], 0).keep).toEqual([]);
});

test("the example of a request has the inputs of the model", () => {
  const picture = { name: "IMAGE", datatype: "UINT8", shape: [-1n, 28n, 28n] };
  const of = { inputs: [picture, { name: "ids", datatype: "INT64", shape: [-1n] }], maxBatchSize: 32 };
  expect(exampleOf(create(DescribeConversionResponseSchema, of))).toBe(
    `{"inputs": [{"name": "IMAGE", "datatype": "UINT8", "shape": [1, 28, 28], "data": […]},
            {"name": "ids", "datatype": "INT64", "shape": [1], "data": […]}]}`,
  );
});
