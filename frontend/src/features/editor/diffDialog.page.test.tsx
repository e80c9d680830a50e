import { QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { beforeEach, expect, test, vi } from "vitest";
import { queryClient } from "../../api/queries";
import { useWorkspace } from "../../workspace/workspace";
import { Banners } from "./Banners";
import { DiffView } from "./DiffView";
import { file, open, startApp } from "./fakeApp";

beforeEach(startApp);
beforeEach(() => {
  useWorkspace.setState({ connection: "live" });
});

const buttons = (within: string) =>
  [...document.querySelectorAll<HTMLButtonElement>(`${within} button`)].map(({ textContent }) => textContent);
const press = (within: string, label: string) =>
  act(async () =>
    [...document.querySelectorAll<HTMLButtonElement>(`${within} button`)]
      .find(({ textContent }) => textContent === label)
      ?.click(),
  );

const elsewhere = { draft: { version: 2n, path: file.path } };

/** The bar over an edited text that meets another one. */
async function conflicted(conflict: object) {
  const session = await open();
  const done: string[] = [];
  vi.spyOn(session, "reload").mockImplementation(() => void done.push("drop"));
  vi.spyOn(session, "keepMine").mockImplementation(() => void done.push("keep"));
  vi.spyOn(session, "save").mockImplementation(async (over) => void done.push(over ? "overwrite" : "save"));
  session.store.setState({ conflict: { text: "b", version: "", deleted: false, ...conflict } as never });
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  await act(async () =>
    root.render(
      <QueryClientProvider client={queryClient}>
        <Banners session={session} />
      </QueryClientProvider>,
    ),
  );
  return { done, close: () => act(async () => root.unmount()) };
}

test.each([
  ["on disk", {}, "Overwrite the file", "overwrite"],
  ["in another window", elsewhere, "Drop the other text", "keep"],
])(
  "the bar and the dialog say in the same words what a choice loses: %s",
  async (_, conflict, lose, kept) => {
    const { done, close } = await conflicted(conflict);
    expect(buttons("[role=alert]")).toEqual(["Show difference", "Drop this text", lose]);
    await press("[role=alert]", "Show difference");
    const dialog = "[role=dialog] footer";
    expect(document.querySelector("[role=dialog] h2")?.textContent).toBe(`${file.model}/${file.path}`);
    expect(buttons(dialog)).toEqual(["Decide later", "Drop this text", lose]);
    const [, drop, keep] = document.querySelectorAll(`${dialog} button`);
    expect(keep?.className).toBe(drop?.className); // either loses a text: none is the one to press
    await press(dialog, "Decide later");
    expect([done, document.querySelector("[role=dialog]")]).toEqual([[], null]);
    for (const label of ["Drop this text", lose]) {
      await press("[role=alert]", "Show difference");
      await press(dialog, label);
      await press("[role=alert]", label);
    }
    expect(done).toEqual(["drop", "drop", kept, kept]);
    await close();
  },
);

test("both texts are side by side, with what differs marked", async () => {
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  const text = (size: number) => `name: "m"\nmax_batch_size: ${size}\n`;
  await act(async () =>
    root.render(
      <DiffView before={{ name: "On disk", text: text(4) }} after={{ name: "This text", text: text(16) }} />,
    ),
  );
  const side = (name: string) => document.querySelector(`[role=textbox][aria-label="${name}"]`);
  expect(side("On disk")?.textContent).toBe('name: "m"max_batch_size: 4');
  expect(side("This text")?.textContent).toBe('name: "m"max_batch_size: 16');
  expect(side("On disk")?.querySelector(".cm-changedText")?.textContent).toBe("4");
  expect(side("This text")?.querySelector(".cm-changedText")?.textContent).toBe("16");
  await act(async () => root.unmount());
  expect(document.querySelector(".cm-mergeView")).toBeNull();
});
