import { create } from "@bufbuild/protobuf";
import { beforeEach, expect, test, vi } from "vitest";
import { clients } from "../api/client";
import {
  Diagnostic_Severity,
  FileProblemsSchema,
  ListProblemsResponseSchema,
  ModelSummarySchema,
  RepositorySchema,
} from "../api/conch_pb";
import { dropDraft, setDraft } from "./drafts";
import { followDrafts, tallyNow, tallyOf, totalNow, useUnsavedProblems } from "./unsavedProblems";

const problems = (model: string, ...severities: Diagnostic_Severity[]) =>
  create(FileProblemsSchema, { model, diagnostics: severities.map((severity) => ({ severity })) });

const summary = (name: string, errors: number, warnings: number) =>
  create(ModelSummarySchema, { name, errors, warnings });

const { ERROR, WARNING, ADVICE } = Diagnostic_Severity;

beforeEach(() => vi.restoreAllMocks());

test("models that unsaved texts concern count as they stand, the others as saved", () => {
  const files = [problems("a", ERROR, ERROR, ADVICE), problems("user", WARNING)];
  const unsaved = { tallies: tallyOf(["a", "user", "mended"], files), files };
  const models = new Map(
    [summary("a", 0, 1), summary("mended", 3, 0), summary("other", 1, 1)].map((m) => [m.name, m]),
  );
  expect(tallyNow(summary("a", 0, 1), unsaved)).toEqual({ errors: 2, warnings: 0 });
  expect(tallyNow(summary("other", 1, 1), unsaved)).toMatchObject({ errors: 1, warnings: 1 });
  const repository = create(RepositorySchema, { errors: 4, warnings: 2 });
  expect(totalNow({ repository, models }, unsaved)).toEqual({ errors: 3, warnings: 1 });
});

test("a draft is judged, and forgotten once it is saved", async () => {
  const ask = vi
    .spyOn(clients.workspace, "listProblems")
    .mockResolvedValue(
      create(ListProblemsResponseSchema, { rejudged: ["a"], files: [problems("a", ERROR)] }),
    );
  const stop = followDrafts();
  setDraft({ model: "a", path: "config.pbtxt", text: "x", baseText: "", baseVersion: "" });
  await vi.waitFor(() => expect(useUnsavedProblems.getState().tallies.get("a")?.errors).toBe(1));
  expect(ask).toHaveBeenCalledWith({ unsaved: [{ model: "a", path: "config.pbtxt", text: "x" }] });
  dropDraft("a", "config.pbtxt");
  await vi.waitFor(() => expect(useUnsavedProblems.getState().files).toHaveLength(0));
  stop();
});
