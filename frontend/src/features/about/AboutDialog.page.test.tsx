import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import { openDialog } from "../../window/dialogs";
import { AboutDialog } from "./AboutDialog";

test("the box says the version and shows the licences, and asks for them once it is open", async () => {
  const asked = vi.spyOn(clients.workspace, "getAbout").mockResolvedValue({
    $typeName: "conch.v1.GetAboutResponse",
    version: "9.8.7 (abcd)",
    license: "Apache-2.0",
    notices: "somebody/else v1   MIT",
  });
  const place = document.body.appendChild(document.createElement("div"));
  const root = createRoot(place);
  await act(async () =>
    root.render(
      <QueryClientProvider client={new QueryClient()}>
        <AboutDialog />
      </QueryClientProvider>,
    ),
  );
  expect(asked).not.toHaveBeenCalled();
  await act(async () => openDialog("about"));
  await vi.waitFor(() => expect(document.body.textContent).toContain("Conch 9.8.7 (abcd)"));
  expect(document.querySelector("pre")?.textContent).toBe("somebody/else v1   MIT");
  await act(async () => root.unmount());
});
