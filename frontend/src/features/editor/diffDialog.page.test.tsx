import { act } from "react";
import { createRoot } from "react-dom/client";
import { beforeEach, expect, test } from "vitest";
import { useWorkspace } from "../../workspace/workspace";
import { DiffDialog } from "./DiffDialog";
import { DiffView } from "./DiffView";

beforeEach(() => {
  useWorkspace.setState({ connection: "live" });
});

test.each([
  ["Take what is on disk", ["close", "take"]],
  ["Keep mine and save", ["close", "keep"]],
  ["Decide later", ["close"]],
])("the dialog of differences: %s", async (label, expected) => {
  const done: string[] = [];
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  await act(async () =>
    root.render(
      <DiffDialog
        path="config.pbtxt"
        other="On disk"
        open
        onClose={() => done.push("close")}
        disk="a"
        mine="b"
        take={{ label: "Take what is on disk", run: () => done.push("take") }}
        keep={{ label: "Keep mine and save", run: () => done.push("keep") }}
      />,
    ),
  );
  const button = [...document.querySelectorAll<HTMLButtonElement>("[role=dialog] footer button")].find(
    ({ textContent }) => textContent === label,
  );
  await act(async () => button?.click());
  expect(done).toEqual(expected);
  await act(async () => root.unmount());
});

test("both texts are side by side, with what differs marked", async () => {
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  const text = (size: number) => `name: "m"\nmax_batch_size: ${size}\n`;
  await act(async () =>
    root.render(
      <DiffView before={{ name: "On disk", text: text(4) }} after={{ name: "Here", text: text(16) }} />,
    ),
  );
  const side = (name: string) => document.querySelector(`[role=textbox][aria-label="${name}"]`);
  expect(side("On disk")?.textContent).toBe('name: "m"max_batch_size: 4');
  expect(side("Here")?.textContent).toBe('name: "m"max_batch_size: 16');
  expect(side("On disk")?.querySelector(".cm-changedText")?.textContent).toBe("4");
  expect(side("Here")?.querySelector(".cm-changedText")?.textContent).toBe("16");
  await act(async () => root.unmount());
  expect(document.querySelector(".cm-mergeView")).toBeNull();
});
