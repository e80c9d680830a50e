import { expect, test, vi } from "vitest";
import { moveOpenFile, openFile } from "../../window/openFiles";
import { disk, file, startApp } from "./fakeApp";
import { openSession, sessionOf } from "./sessions";

test("an open file that has another path goes on there, also where the disk told before that it is gone", async () => {
  startApp();
  disk.text = "import numpy\n";
  const { model } = file;
  openFile(model, "1/run.py");
  const session = sessionOf({ model, path: "1/run.py" });
  await vi.waitFor(() => expect(session.store.getState().status).toBe("ready"));
  Object.assign(disk, { text: "", exists: false });
  session.onDisk("");
  await vi.waitFor(() => expect(session.store.getState().deleted).toBe("import numpy\n"));
  Object.assign(disk, { text: "import numpy\n", exists: true });
  moveOpenFile(model, "1/run.py", "1/model.py");
  expect([openSession({ model, path: "1/run.py" }), openSession({ model, path: "1/model.py" })]).toEqual([
    undefined,
    session,
  ]);
  expect(session.file.path).toBe("1/model.py");
  await vi.waitFor(() => expect(session.store.getState().deleted).toBeUndefined());
});

test("what is open of a folder that has another name goes on there", async () => {
  startApp();
  disk.text = "import numpy\n";
  const { model } = file;
  const session = sessionOf({ model, path: "v1/run.py" });
  const other = sessionOf({ model, path: "v10/run.py" });
  await vi.waitFor(() => expect(session.store.getState().status).toBe("ready"));
  moveOpenFile(model, "v1", "1");
  expect(openSession({ model, path: "1/run.py" })).toBe(session);
  expect(openSession({ model, path: "v10/run.py" })).toBe(other);
});
