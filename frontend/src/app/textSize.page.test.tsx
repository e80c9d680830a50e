import { QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test, vi } from "vitest";
import { clients } from "../api/client";
import { queryClient } from "../api/queries";
import { useSettings } from "../window/settings";
import { TopBar } from "./TopBar";
import "../testing/page";

const items = () => [...document.querySelectorAll<HTMLElement>("[role^='menuitem']")];
const sizes = () => items().filter(({ textContent }) => textContent?.startsWith("Text size"));

async function openMenu(): Promise<void> {
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  await act(async () =>
    root.render(
      <QueryClientProvider client={queryClient}>
        <TopBar />
      </QueryClientProvider>,
    ),
  );
  const button = document.querySelector("button[aria-label='Settings']");
  await act(async () => {
    button?.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
  });
  return void vi.waitFor(() => expect(items().length).toBeGreaterThan(0));
}

test("the settings change the size of everything in the desktop window", async () => {
  vi.stubGlobal("go", { desktop: { Native: { SetZoom: async () => {} } } });
  vi.spyOn(clients.workspace, "setSettings").mockResolvedValue({} as never);
  await openMenu();
  expect(sizes().map(({ textContent }) => textContent?.slice(0, 16))).toContain("Text size: 125 %");
  const larger = sizes().find(({ textContent }) => textContent?.startsWith("Text size: 125 %"));
  await act(async () => larger?.click());
  expect(useSettings.getState().zoom).toBe(125);
});
