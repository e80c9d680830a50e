/** The dialog of conversions over a program that answers with what a test gives it. */
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { expect, vi } from "vitest";
import { clients } from "../../api/client";
import { ConversionEventSchema, DescribeConversionResponseSchema } from "../../api/conch_pb";
import { openDialog } from "../../window/dialogs";
import { useWorkspace } from "../../workspace/workspace";
import { ConvertDialog } from "./ConvertDialog";

/** The dialog is there, and open where a model is given. */
export async function showDialog(
  described: MessageInitShape<typeof DescribeConversionResponseSchema>,
  model?: string,
): Promise<Root> {
  useWorkspace.setState({ connection: "live" });
  vi.spyOn(clients.conversions, "describeConversion").mockResolvedValue(
    create(DescribeConversionResponseSchema, described),
  );
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  await act(async () => {
    root.render(
      <QueryClientProvider client={new QueryClient()}>
        <ConvertDialog />
      </QueryClientProvider>,
    );
    if (model !== undefined) openDialog("convert", model);
  });
  return root;
}

/** What a running conversion tells. */
export const event = (of: MessageInitShape<typeof ConversionEventSchema>) =>
  create(ConversionEventSchema, of);

/** Everything that is written on the page. */
export const text = (): string => document.body.textContent ?? "";

/** A button by its words, where there is one. */
export const findButton = (words: string) =>
  [...document.querySelectorAll("button")].find(({ textContent }) => textContent === words);

export const button = (words: string) => findButton(words) ?? expect.fail(`no button ${words}`);

/** The box beside its words. */
const box = (words: string) =>
  [...document.querySelectorAll("label")]
    .find(({ textContent }) => textContent === words)
    ?.querySelector("input") ?? expect.fail(`no box ${words}`);

export const press = (words: string) => act(async () => button(words).click());
export const tick = (words: string) => act(async () => box(words).click());
