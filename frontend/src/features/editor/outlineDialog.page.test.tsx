import { create } from "@bufbuild/protobuf";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { beforeEach, expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import { AnalyzeResponseSchema } from "../../api/conch_pb";
import { enter } from "../../testing/typing";
import { EditorBar } from "./EditorBar";
import { disk, openAndType, startApp } from "./fakeApp";
import { OutlineDialog } from "./OutlineDialog";

Element.prototype.scrollIntoView = () => {};

beforeEach(startApp);

test("a part that is chosen has the keys, also where a button had opened the outline", async () => {
  disk.text = 'name: "a"\ninput { name: "x" }\n';
  vi.mocked(clients.editor.analyze).mockImplementation(async ({ number }) =>
    create(AnalyzeResponseSchema, { number, outline: [{ label: "x", line: 2, from: 10, to: 29 }] }),
  );
  const { session, unmount, view } = await openAndType("# more");
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  await act(async () =>
    root.render(
      <>
        <EditorBar session={session} mode="text" tabbed onMode={() => undefined} />
        <OutlineDialog session={session} />
      </>,
    ),
  );
  const opens = document.querySelector("[aria-label=Outline]") as HTMLButtonElement;
  opens.focus();
  const given = vi.spyOn(opens, "focus"); // the dialog gives the focus back as it closes
  await act(async () => opens.click());
  const part = () => document.querySelector("[aria-label='Parts of the config'] button");
  await vi.waitFor(() => expect(part()).not.toBeNull());
  await act(async () => part()?.dispatchEvent(new MouseEvent("click", { bubbles: true })));
  await vi.waitFor(() => expect([view?.state.selection.main.head, given.mock.calls]).toEqual([10, [[]]]));
  expect(document.querySelector("[role=dialog]")).toBeNull();
  expect(document.activeElement).toBe(view?.contentDOM);
  await act(async () => root.unmount());
  unmount();
});

test("Enter that comes before the parts are known goes to the first one that fits when they are", async () => {
  disk.text = 'name: "a"\ninput { name: "x" }\n';
  let answer = () => {};
  const asked = new Promise<void>((done) => {
    answer = done;
  });
  vi.mocked(clients.editor.analyze).mockImplementation(async ({ number }) => {
    await asked;
    const outline = [
      { label: "name", line: 1, from: 0, to: 9 },
      { label: "x", line: 2, from: 10, to: 29 },
    ];
    return create(AnalyzeResponseSchema, { number, outline });
  });
  const { session, unmount, view } = await openAndType("# more");
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  await act(async () => root.render(<OutlineDialog session={session} />));
  await act(async () => session.ask("outline"));
  const field = document.querySelector("[aria-label='Filter the outline']");
  if (!(field instanceof HTMLInputElement)) throw new Error("the outline has no field");
  expect(document.querySelector("[aria-label='Parts of the config']")?.textContent).toBe(
    "Reading the config…",
  );
  await act(async () => enter(field, "x"));
  await act(async () => field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true })));
  expect(document.querySelector("[role=dialog]")).not.toBeNull();
  await act(async () => answer());
  await vi.waitFor(() => expect(view?.state.selection.main.head).toBe(10));
  expect(document.querySelector("[role=dialog]")).toBeNull();
  await act(async () => root.unmount());
  unmount();
});
