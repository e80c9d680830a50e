import { act } from "react";
import { createRoot } from "react-dom/client";
import { beforeEach, expect, test, vi } from "vitest";
import { useWorkspace } from "../../workspace/workspace";
import { DiffDialog } from "./DiffDialog";

beforeEach(() => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
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
        other="on disk"
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
