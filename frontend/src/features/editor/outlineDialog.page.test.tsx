import { create } from "@bufbuild/protobuf";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { beforeEach, expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import { AnalyzeResponseSchema } from "../../api/conch_pb";
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
