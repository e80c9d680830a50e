import { create } from "@bufbuild/protobuf";
import { act } from "react";
import { afterEach, expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import {
  Diagnostic_Severity,
  ListProblemsResponseSchema,
  ModelState,
  ModelSummarySchema,
  SummarizeResponseSchema,
} from "../../api/conch_pb";
import { wear } from "../../testing/styles";
import named from "../../ui/Named.module.css";
import { useAsked } from "../../window/asked";
import css from "./overview.module.css";
import { show } from "./shown";

afterEach(() => void vi.restoreAllMocks());

test("why a model failed is told in the words of the problem list, with Triton's in the tooltip", async () => {
  vi.spyOn(clients.metrics, "summarize").mockResolvedValue(create(SummarizeResponseSchema));
  const triton = "output 'OUT' for ensemble 'pair' is not written";
  const message = 'Nothing produces tensor "rihgt"; did you mean "right"?';
  vi.spyOn(clients.workspace, "listProblems").mockResolvedValue(
    create(ListProblemsResponseSchema, {
      files: [
        {
          model: "pair",
          path: "config.pbtxt",
          diagnostics: [{ severity: Diagnostic_Severity.ERROR, message, triton }],
        },
      ],
    }),
  );
  const failed = (name: string, reason: string) =>
    create(ModelSummarySchema, {
      name,
      state: ModelState.FAILED,
      reason,
      versions: [{ number: 1n }, { number: 2n }],
    });
  const models = [failed("pair", triton), failed("other", "the file is too short")];
  const { page, end } = await show(models);
  await vi.waitFor(() => expect(page.textContent).toContain(message));
  expect(page.querySelector(`td[title*="${triton}"]`)?.textContent).toBe(message);
  expect([...page.querySelectorAll("td")].map(({ textContent }) => textContent)).toContain("1, 2");
  expect(page.querySelector("td[title='the file is too short']")?.textContent).toBe("The file is too short");
  wear("ui/Named.module.css", named);
  wear("features/overview/overview.module.css", css);
  const name = [...page.querySelectorAll("td span")].find(({ textContent }) => textContent === '"rihgt"');
  expect(name && getComputedStyle(name).whiteSpace).toBe("pre"); // one line, as every row
  document.head.replaceChildren();
  await end();
});

test("a note has the room of the columns in which there is nothing", async () => {
  const busy = { model: "busy", requests: 3n, failures: 2n };
  const summaries = [{ model: "quiet" }, busy];
  vi.spyOn(clients.workspace, "listProblems").mockResolvedValue(create(ListProblemsResponseSchema));
  const of = (name: string, state: ModelState, reason = "") =>
    create(ModelSummarySchema, { name, state, reason });
  const models = [
    of("failed", ModelState.FAILED, "the file is too short"),
    of("quiet", ModelState.OLDER_SERVES, "version 2 did not load"),
    of("busy", ModelState.OLDER_SERVES, "version 2 did not load"),
    of("ready", ModelState.READY),
  ];
  const { page, end } = await show(models, {
    summaries,
    refused: new Map([["ready", { count: 12, atLeast: false }]]),
  });
  /** How many columns the last cells of a model's row are wide: in a wide window, and in a narrow one. */
  const spans = (name: string) => {
    const rows = [...page.querySelectorAll("tbody tr")];
    const row = rows.find((tr) => tr.querySelector("button")?.textContent?.includes(name));
    const notes = [...(row?.querySelectorAll<HTMLTableCellElement>("td[class*=note]") ?? [])];
    return notes.map(({ colSpan }) => colSpan);
  };
  await vi.waitFor(() => expect(spans("quiet")).toEqual([6, 5]));
  expect(spans("failed")).toEqual([6, 5]);
  expect(spans("busy")).toEqual([1]);
  expect(spans("ready")).toEqual([1]);
  const refused = [...page.querySelectorAll("button")].find(
    ({ textContent }) => textContent === "12 refused",
  );
  await act(async () => refused?.click());
  expect(useAsked.getState()).toMatchObject({ whose: "refused", requestsOf: "ready" });
  const failures = [...page.querySelectorAll("button")].find(({ textContent }) => textContent === "2");
  await act(async () => failures?.click());
  expect(useAsked.getState()).toMatchObject({ whose: undefined, requestsOf: "busy", failed: true });
  await end();
});
