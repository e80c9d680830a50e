import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { RefusalSchema, WatchRefusalsResponseSchema } from "../api/conch_pb";
import {
  call,
  forgottenText,
  matching,
  more,
  others,
  refusedIn,
  refusedText,
  take,
  times,
  total,
} from "./refusals";

const group = (more: MessageInitShape<typeof RefusalSchema>) =>
  create(RefusalSchema, {
    port: "HTTP",
    count: 1n,
    newest: [{ time: 5n, client: "127.0.0.1:9", id: "r" }],
    ...more,
  });

const message = (init: MessageInitShape<typeof WatchRefusalsResponseSchema>) =>
  create(WatchRefusalsResponseSchema, init);

test("a reset replaces what was known, changes replace their groups, and the newest request is first", () => {
  const old = take(undefined, message({ reset: true, changed: [group({ id: 1n }), group({ id: 2n })] }));
  const after = take(
    old,
    message({ changed: [group({ id: 1n, count: 2n, newest: [{ time: 7n }] })], removed: [2n] }),
  );
  expect(after.groups.map(({ id, count }) => [id, count])).toEqual([[1n, 2n]]);
  const both = take(after, message({ changed: [group({ id: 3n, newest: [{ time: 9n }] })], forgotten: 4n }));
  expect(both.groups.map(({ id }) => id)).toEqual([3n, 1n]);
  expect(total(both)).toBe(1 + 2 + 4);
  expect(take(both, message({ reset: true })).groups).toEqual([]);
});

test("a sign of life changes nothing", () => {
  const known = take(undefined, message({ reset: true, changed: [group({ id: 1n })] }));
  expect(take(known, message({}))).toBe(known);
});

test("what is only counted is said in words", () => {
  const flood = group({
    count: 1209n,
    alike: 4980n,
    newest: Array.from({ length: 5 }, () => ({ time: 1n })),
  });
  expect(more(flood)).toBe("1,204 more like this");
  expect(others(flood)).toBe("4,980 more like this, for other models or with other values");
  expect(times(flood)).toBe("×1,209");
  expect([more(group({})), others(group({})), times(group({}))]).toEqual(["", "", ""]);
  expect(forgottenText(1)).toBe("1 older request is no longer listed.");
  expect(forgottenText(1204)).toBe("1,204 older requests are no longer listed.");
});

test("the filter finds the reason, the model, the client and the ID, and a model by its whole name", () => {
  const all = [
    group({ id: 1n, model: "a", reason: "unexpected shape" }),
    group({ id: 2n, port: "gRPC", method: "ModelInfer" }),
  ];
  expect(matching(all, { text: " SHAPE", model: "" }).map(({ id }) => id)).toEqual([1n]);
  expect(matching(all, { text: "grpc", model: "" }).map(({ id }) => id)).toEqual([2n]);
  expect(matching(all, { text: "127.0.0.1:9", model: "" })).toHaveLength(2);
  expect(matching(all, { text: "nothing", model: "" })).toEqual([]);
  const models = ["digits", "digits_prepare", "a"].map((model) => group({ model }));
  expect(matching(models, { text: "", model: "digits" }).map(({ model }) => model)).toEqual(["digits"]);
});

test("a call over HTTP has its path", () => {
  expect(call(group({ method: "POST", path: "/v2/models/a/infer" }))).toBe("POST /v2/models/a/infer");
  expect(call(group({ method: "ModelInfer" }))).toBe("ModelInfer");
});

test("what was refused in a time is counted by model, apart from what ran and failed", () => {
  const group = (model: string, status: string, times: number[], more: object = {}) =>
    create(RefusalSchema, {
      ...{ model, status, count: BigInt(times.length), first: BigInt(Math.min(...times)) },
      newest: times.map((time) => ({ time: BigInt(time) })),
      ...more,
    });
  const groups = [
    group("digits", "400 Bad Request", [900, 800, 700, 600, 500], { count: 40n, first: 100n }),
    group("digits", "INVALID_ARGUMENT", [950]),
    group("digits", "400 Bad Request", [960], { reason: "no, says the model", ran: true }),
    group("pair", "500 Internal Server Error", [970]), // its body could not be read
    group("pair", "500 Internal Server Error", [971]),
    group("", "404 Not Found", [980]),
    group("pair", "error in the stream", [990], { ran: true }),
    group("old", "400 Bad Request", [50]),
  ];
  const texts = (from: number, to: number) =>
    [...refusedIn(groups, { from, to })]
      .map(([model, refused]) => `${model}: ${refusedText(refused)}`)
      .sort();
  expect(texts(90, 2000)).toEqual([": 44 refused", "digits: 41 refused", "pair: 2 refused"]);
  expect(texts(650, 2000)).toEqual([": at least 7 refused", "digits: at least 4 refused", "pair: 2 refused"]);
  expect(texts(2000, 3000)).toEqual([]);
});
