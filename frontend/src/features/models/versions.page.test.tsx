import { create } from "@bufbuild/protobuf";
import { QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test } from "vitest";
import { ModelState, ModelSummarySchema, VersionSchema } from "../../api/conch_pb";
import { queryClient } from "../../api/queries";
import { getTry } from "../../requests/tries";
import { TooltipProvider } from "../../ui/Tooltip";
import { VersionMenu } from "../../workspace/VersionMenu";
import { useWorkspace } from "../../workspace/workspace";
import { ModelHeader } from "./ModelHeader";

const version = (number: bigint, state: ModelState, reason = "") =>
  create(VersionSchema, { number, state, reason });

test("a version that serves after a failed load is named, and can be chosen", async () => {
  useWorkspace.setState({ connection: "live" });
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  const model = create(ModelSummarySchema, {
    name: "twice",
    state: ModelState.OLDER_SERVES,
    versions: [version(1n, ModelState.OLDER_SERVES), version(4n, ModelState.FAILED)],
  });
  await act(async () =>
    root.render(
      <QueryClientProvider client={queryClient}>
        <TooltipProvider>
          <ModelHeader model={model} />
        </TooltipProvider>
      </QueryClientProvider>,
    ),
  );
  expect(document.body.textContent).toContain("Version 4 did not load; 1 keeps serving");
  const button = document.querySelector<HTMLButtonElement>('button[aria-label^="Version"]');
  expect(button?.textContent?.trim()).toBe("Version 1");
  expect(button?.getAttribute("aria-label")).toBe("Version 1: choose one of 2 versions");

  await act(async () => {
    button?.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
  });
  const items = [...document.querySelectorAll<HTMLElement>('[role^="menuitem"]')];
  const item = (label: string) => items.find(({ textContent }) => textContent?.startsWith(label));
  expect(item("The newest")?.textContent).toContain("Now version 1");
  expect(item("Version 1")?.textContent).toContain("Ready, as it was loaded before");
  expect(item("Version 4")?.getAttribute("aria-disabled")).toBe("true");
  await act(async () => item("Version 1")?.click());
  expect(getTry("twice").version).toBe(1n);
  await act(async () => root.unmount());
});

test("a version that the policy leaves out says so, and one that was unloaded says it once", async () => {
  useWorkspace.setState({ connection: "live" });
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  const versions = [
    version(
      1n,
      ModelState.UNLOADED,
      "not served: version_policy is latest 1. To serve each version, write more",
    ),
    version(2n, ModelState.UNLOADED, "unloaded"),
    version(3n, ModelState.READY),
  ];
  const trigger = <button type="button">open</button>;
  await act(async () =>
    root.render(<VersionMenu trigger={trigger} versions={versions} chosen={0n} onChoose={() => {}} />),
  );
  await act(async () => {
    const open = [...document.querySelectorAll("button")].find(({ textContent }) => textContent === "open");
    open?.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
  });
  const items = [...document.querySelectorAll('[role^="menuitem"]')].map(({ textContent }) => textContent);
  expect(items).toContain(
    "Version 1Not served: version_policy is latest 1. To serve each version, write more",
  );
  expect(items).toContain("Version 2Unloaded");
  await act(async () => root.unmount());
});
