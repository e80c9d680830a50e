import { create } from "@bufbuild/protobuf";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import {
  Engine_State,
  EngineSchema,
  GetModelResponseSchema,
  ListProvidersResponseSchema,
} from "../../api/conch_pb";
import { useWorkspace } from "../../workspace/workspace";
import { CompareButton, CompareDialog } from "./CompareButton";

const click = (selector: string) =>
  act(async () => {
    document.querySelector<HTMLButtonElement>(selector)?.click();
    await new Promise((done) => setTimeout(done));
  });

test("why providers are not known is told, in place of that there are none; and the question ends with the dialog", async () => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  useWorkspace.setState({
    connection: "live",
    engine: create(EngineSchema, { state: Engine_State.READY }),
    models: new Map(),
  });
  const listed = vi
    .spyOn(clients.tryIt, "listProviders")
    .mockRejectedValueOnce(new Error("a library hangs."));
  const details = create(GetModelResponseSchema, { summary: { name: "digits" } });
  vi.spyOn(clients.models, "getModel").mockResolvedValue(details);
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  await act(async () =>
    root.render(
      <QueryClientProvider client={new QueryClient()}>
        <CompareButton details={details} />
        <CompareDialog />
      </QueryClientProvider>,
    ),
  );
  const said = () => document.body.textContent;
  await click("button[aria-label='Compare…']");
  await vi.waitFor(() =>
    expect(said()).toContain("It is not known on which other providers the model can run: a library hangs."),
  );
  expect(said()).not.toMatch(/no other provider|hangs\.\./);
  await click("button[aria-label=Close]");
  const why = "The GPU driver does not answer. A restart may be needed.";
  listed.mockResolvedValueOnce(create(ListProvidersResponseSchema, { absent: [{ label: "CUDA", why }] }));
  await click("button[aria-label='Compare…']");
  await vi.waitFor(() =>
    expect(said()).toMatch(/CUDA is not offered\. The GPU driver .* may be needed\.(?!\.)/),
  );
  await click("button[aria-label=Close]");
  let signal: AbortSignal | undefined;
  listed.mockImplementation((_, options) => {
    signal = options?.signal;
    return new Promise(() => {});
  });
  await click("button[aria-label='Compare…']");
  await vi.waitFor(() => expect(signal?.aborted).toBe(false));
  await click("button[aria-label=Close]");
  expect(signal?.aborted).toBe(true);
  await act(async () => root.unmount());
});
