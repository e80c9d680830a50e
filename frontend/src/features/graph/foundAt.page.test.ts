import { create } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { Diagnostic_Severity, FileProblemsSchema } from "../../api/conch_pb";
import { foundAt } from "./foundAt";

const message = 'model "add_sub" has no input "FIRST"; it has "A"';
const at = (from: number, title = "Name it A") => ({
  severity: Diagnostic_Severity.ERROR,
  message,
  from,
  to: from + 7,
  fixes: title === "" ? [] : [{ title }],
});
const file = (...diagnostics: ReturnType<typeof at>[]) => [
  create(FileProblemsSchema, { model: "pair", path: "config.pbtxt", diagnostics }),
];

const fixAt = (files: ReturnType<typeof file>, problem: string, offset = 0) =>
  foundAt(files, "pair", { problem, offset })?.found.fixes[0]?.title;

it("finds the config's problem for the sentence that the drawing makes itself", () =>
  expect(fixAt(file(at(10)), 'model "add_sub" has no input "FIRST"')).toBe("Name it A"));

it("takes the nearest where two steps have the same problem", () => {
  const files = file(at(10, "Mend the first"), at(200, "Mend the second"));
  expect(fixAt(files, message, 190)).toBe("Mend the second");
  expect(fixAt(files, message, 20)).toBe("Mend the first");
});

it("finds nothing for another problem, another model, or one without a fix", () => {
  expect(fixAt(file(at(10)), 'model "add_sub" has no input "SECOND"')).toBeUndefined();
  expect(foundAt(file(at(10)), "other", { problem: message, offset: 0 })).toBeUndefined();
  expect(fixAt(file(at(10, "")), message)).toBeUndefined();
});
