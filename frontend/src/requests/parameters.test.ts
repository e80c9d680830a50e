import { expect, it } from "vitest";
import { fromJson } from "./json";
import {
  afterAnswer,
  parametersText,
  sequenceOf,
  withoutSequence,
  withSequence,
  written,
} from "./parameters";

it("gives every value of JSON its type, and writes it back", () => {
  const values = { flag: true, text: "en", small: -3, heat: 0.5, large: 2n ** 64n - 1n };
  const parameters = written(values);
  expect(Object.values(parameters).map(({ value }) => value.case)).toEqual([
    "bool",
    "string",
    "int64",
    "double",
    "uint64",
  ]);
  expect(parametersText(parameters)).toBe(
    '{"flag": true, "text": "en", "small": -3, "heat": 0.5, "large": 18446744073709551615}',
  );
});

it.each([
  ['{"inputs": [], "parameters": [1]}', '"parameters" must be an object'],
  ['{"inputs": [], "parameters": {"a": [1]}}', 'Parameter "a" must be a boolean, a number or a text'],
  ['{"inputs": [], "parameters": {"a": 18446744073709551616}}', 'Parameter "a" is beyond 64 bits'],
  ['{"inputs": [], "id": 5}', '"id" must be a text'],
])("says what is wrong with %s", async (text, why) => {
  await expect(fromJson("m", text)).rejects.toThrow(why);
});

it("tells a sequence from the other parameters", () => {
  const parameters = withSequence(written({ priority: 2 }), { id: "7", start: true, end: false });
  expect(parametersText(parameters)).toBe('{"priority": 2, "sequence_id": 7, "sequence_start": true}');
  expect(sequenceOf({ parameters })).toEqual({ id: "7", start: true, end: false });
  expect(parametersText(withoutSequence(parameters))).toBe('{"priority": 2}');
  expect(parametersText(withSequence({}, { id: "a7", start: false, end: true }))).toBe(
    '{"sequence_id": "a7", "sequence_end": true}',
  );
});

it("goes on in a sequence, and begins it again after its end", () => {
  expect(afterAnswer({ id: "7", start: true, end: false })).toEqual({ id: "7", start: false, end: false });
  expect(afterAnswer({ id: "7", start: false, end: true })).toEqual({ id: "7", start: true, end: false });
});
