import { create } from "@bufbuild/protobuf";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test, vi } from "vitest";
import { clients } from "../api/client";
import { DiagnosticSchema, ExampleLine_Side, ExplainRuleResponseSchema } from "../api/conch_pb";
import { ProblemRow } from "../features/editor/ProblemRow";
import { ExplainDialog } from "../features/explain/ExplainDialog";

test("a problem's code opens what is known of its rule", async () => {
  const asked = vi.spyOn(clients.editor, "explainRule").mockResolvedValue(
    create(ExplainRuleResponseSchema, {
      rule: "SB1",
      title: "a sequence model has the response cache on",
      means: "The model has sequence_batching.",
      why: "An answer depends on those before it.",
      fix: "Remove response_cache.",
      triton: ["Response Cache does not currently support model …"],
      example: [
        { side: ExampleLine_Side.WRONG, text: "response_cache { enable: true }" },
        { side: ExampleLine_Side.RIGHT, text: "response_cache { enable: false }" },
      ],
    }),
  );
  const place = document.body.appendChild(document.createElement("div"));
  const root = createRoot(place);
  const opened = vi.fn();
  await act(async () =>
    root.render(
      <QueryClientProvider client={new QueryClient()}>
        <ProblemRow
          diagnostic={create(DiagnosticSchema, { code: "SB1", message: "no cache" })}
          also={[]}
          model="m"
          path="config.pbtxt"
          onOpen={opened}
        />
        <ExplainDialog />
      </QueryClientProvider>,
    ),
  );
  expect(asked).not.toHaveBeenCalled();
  await act(async () => place.querySelector<HTMLButtonElement>("[aria-label='Explain SB1']")?.click());
  expect(asked.mock.calls[0]?.[0]).toEqual({ rule: "SB1" });
  expect(opened).not.toHaveBeenCalled();
  await vi.waitFor(() =>
    expect(document.body.textContent).toContain("An answer depends on those before it."),
  );
  expect(document.querySelector("pre")?.textContent).toBe(
    "- response_cache { enable: true }\n+ response_cache { enable: false }\n",
  );
  await act(async () => root.unmount());
});
