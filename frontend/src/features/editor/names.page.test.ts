import { create } from "@bufbuild/protobuf";
import { expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import { FindNameResponseSchema } from "../../api/conch_pb";
import { openAndType, startApp } from "./fakeApp";
import { askName, target } from "./names";

const file = { model: "read_digit", path: "config.pbtxt" };
const place = (model: string, from: number, definition = false) => ({
  model,
  path: "config.pbtxt",
  from,
  to: from + 4,
  definition,
});
const found = (from: number, ...places: ReturnType<typeof place>[]) =>
  create(FindNameResponseSchema, { found: true, from, places });

test("the definition is where a use leads to", () => {
  const answer = found(90, place("digits", 10, true), place("read_digit", 90));
  expect(target(answer, file)).toMatchObject({ model: "digits", from: 10 });
});

test("from one of two definitions it goes to the other", () => {
  const answer = found(
    20,
    place("read_digit", 20, true),
    place("read_digit", 60),
    place("read_digit", 90, true),
  );
  expect(target(answer, file)?.from).toBe(90);
});

test("from the only definition it goes to the first use, if there is one", () => {
  expect(target(found(20, place("read_digit", 20, true), place("outer", 5)), file)?.model).toBe("outer");
  expect(target(found(20, place("read_digit", 20, true)), file)).toBeUndefined();
});

test("a name that is found after one has typed on leads nowhere", async () => {
  startApp();
  const { session, view } = await openAndType("# x");
  if (!view) expect.fail("no text is shown");
  let answer = (_: unknown) => {};
  vi.spyOn(clients.editor, "findName").mockImplementation(
    () => new Promise((resolve) => (answer = resolve)) as never,
  );
  const first = askName(view, file, "\n");
  answer(found(0));
  expect((await first)?.answer.found).toBe(true);
  const second = askName(view, file, "\n");
  session.replace("");
  answer(found(0));
  expect(await second).toBeUndefined();
});
