import { act } from "react";
import { createRoot } from "react-dom/client";
import { beforeEach, expect, test } from "vitest";
import { EditorBar } from "./EditorBar";
import { open, startApp } from "./fakeApp";

beforeEach(startApp);

test("the name of the config is said once: in the tab above, or in the bar", async () => {
  const session = await open();
  const page = document.body.appendChild(document.createElement("div"));
  const root = createRoot(page);
  const bar = (tabbed: boolean) =>
    act(async () =>
      root.render(<EditorBar session={session} mode="text" tabbed={tabbed} onMode={() => undefined} />),
    );
  await bar(false);
  expect(page.textContent).toContain(session.file.path);
  await bar(true);
  expect(page.textContent).not.toContain(session.file.path);
  await act(async () => root.unmount());
});
