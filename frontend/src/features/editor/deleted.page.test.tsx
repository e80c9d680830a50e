import { QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { beforeEach, expect, test, vi } from "vitest";
import { queryClient } from "../../api/queries";
import { useWorkspace } from "../../workspace/workspace";
import { Banners } from "./Banners";
import { EditorBar } from "./EditorBar";
import { disk, file, open, startApp } from "./fakeApp";
import { createSession } from "./session";

beforeEach(startApp);

const PATH = "1/model.py";

/** The bar and the banners of a program. */
async function program() {
  useWorkspace.setState({ connection: "live" });
  const session = createSession({ model: file.model, path: PATH });
  await vi.waitFor(() => expect(session.store.getState().status).toBe("ready"));
  const page = document.body.appendChild(document.createElement("div"));
  const root = createRoot(page);
  await act(async () =>
    root.render(
      <QueryClientProvider client={queryClient}>
        <EditorBar session={session} mode="text" tabbed onMode={() => undefined} />
        <Banners session={session} />
      </QueryClientProvider>,
    ),
  );
  return { session, page, root };
}

test("a program that is deleted on disk says so, and its text is put back", async () => {
  disk.text = "import numpy\n";
  const { session, page, root } = await program();
  Object.assign(disk, { text: "", exists: false });
  session.onDisk("gone");
  await vi.waitFor(() => expect(session.store.getState().exists).toBe(false));
  await act(async () => undefined);
  expect(page.textContent).toContain("deleted on disk");
  expect(page.textContent).not.toContain("not there yet");
  const button = [...page.querySelectorAll("button")].find(({ textContent }) =>
    textContent?.startsWith("Put back"),
  );
  await act(async () => button?.click());
  await vi.waitFor(() => expect(disk.text).toBe("import numpy\n"));
  await vi.waitFor(() => expect(session.store.getState().saving).toBe(false));
  expect(session.text()).toBe("import numpy\n");
  expect(page.textContent).not.toContain("deleted on disk");
  await act(async () => root.unmount());
});

test("a file that was not there is not called deleted", async () => {
  Object.assign(disk, { text: "", exists: false });
  const { page, root } = await program();
  expect(page.textContent).toContain("not there yet");
  expect(page.textContent).not.toContain("·");
  await act(async () => root.unmount());
  expect((await open()).store.getState().deleted).toBeUndefined();
});

test("a text of a file that was deleted on disk is dropped or saved: there is no file to take", async () => {
  disk.text = "import numpy\n";
  const { session, page, root } = await program();
  await act(async () =>
    session.store.setState({ conflict: { text: "", version: "", deleted: true } as never }),
  );
  const labels = [...page.querySelectorAll("button")].map(({ textContent }) => textContent);
  expect(labels).toEqual(expect.arrayContaining(["Drop this text", "Save it as a new file"]));
  expect(page.textContent).not.toMatch(/Show difference|Overwrite/);
  await act(async () => root.unmount());
});
