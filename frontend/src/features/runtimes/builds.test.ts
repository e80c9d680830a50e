import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { ListRuntimesResponseSchema, type Runtime, RuntimeSchema } from "../../api/conch_pb";
import { bytes } from "../../lib/format";
import { notHere, usage, usedThen } from "./builds";

test("which build engines use when another one is gone", () => {
  const [used, other] = [
    { name: "bundled", used: true },
    { name: "mine", chosen: true },
  ].map((of) => create(RuntimeSchema, of)) as [Runtime, Runtime];
  expect(usedThen(other, [used, other], undefined)).toBe("It is the chosen one: engines use bundled then.");
  expect(usedThen(other, [used, other], "CONCH_ONNXRUNTIME")).toBe(
    "It is the chosen one: without CONCH_ONNXRUNTIME, engines use bundled then.",
  );
  expect(usedThen({ ...other, chosen: false }, [used, other], undefined)).toBe("Engines go on with bundled.");
  expect(usedThen({ ...other, chosen: false }, [other], undefined)).toBe("No engine uses it.");
});

test("what is installed is not offered again, unless another version is, or it is damaged", () => {
  const left = (name: string, error = "", installed = true) => {
    const of = create(ListRuntimesResponseSchema, {
      here: [{ name, installed, error }],
      offered: [{ name: "cuda13", version: "1.30.0" }],
    });
    return notHere(of.offered, of.here).map(({ name: offered }) => offered);
  };
  expect(left("cuda13-1.30.0")).toEqual([]);
  expect(left("cuda13-1.29.0")).toEqual(["cuda13"]);
  expect(left("cuda13-1.30.0", "it is damaged")).toEqual(["cuda13"]);
  expect(left("cuda13-1.30.0", "", false)).toEqual(["cuda13"]);
});

test("of a download both figures are rounded in the same way", () => {
  expect(bytes(246_685_715)).toBe("235 MiB");
});

test("a build is in use only where the engine has opened it, or has opened none yet", () => {
  const [chosen, other] = [{ library: "/new", used: true }, { library: "/old" }].map((of) =>
    create(RuntimeSchema, of),
  ) as [Runtime, Runtime];
  const uses = (open: string) => [usage(chosen, open), usage(other, open)];
  expect(uses("")).toEqual(["now", ""]);
  expect(uses("/new")).toEqual(["now", ""]);
  expect(uses("/old")).toEqual(["next", "still"]);
});
