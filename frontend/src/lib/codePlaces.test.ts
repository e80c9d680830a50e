import { expect, it } from "vitest";
import { withPlaces } from "./codePlaces";

it("finds the places of a text as Python, Triton and others write them", () => {
  expect(
    withPlaces(
      'ValueError: no\n\nAt:\n  /my models/m/1/helper.py(7): check\n  File "/m/1/model.py", line 12, in f',
    ),
  ).toEqual([
    "ValueError: no\n\nAt:\n  ",
    { text: "/my models/m/1/helper.py(7)", file: "/my models/m/1/helper.py", line: 7 },
    ": check\n  ",
    { text: 'File "/m/1/model.py", line 12', file: "/m/1/model.py", line: 12 },
    ", in f",
  ]);
  expect(withPlaces("see /m/1/model.py:3 there")[1]).toEqual({
    text: "/m/1/model.py:3",
    file: "/m/1/model.py",
    line: 3,
  });
  expect(withPlaces("a/b.py is a file (1)")).toEqual(["a/b.py is a file (1)"]);
});
