import { expect, test } from "vitest";
import { wouldRun } from "./words";

const code = (model: string, path: string, field = "model_operations.op_library_filename") => ({
  model,
  path,
  field,
});

test("it is said what would run", () => {
  expect(wouldRun([code("a", "x.so")])).toBe("a runs the library x.so with all your rights.");
  expect(wouldRun([code("a", "x.so"), code("a", "y.so")])).toBe(
    "a runs the libraries x.so and y.so with all your rights.",
  );
  expect(wouldRun([code("a", "x.so"), code("b", "x.so")])).toBe(
    "a and b run the library x.so with all your rights.",
  );
  expect(wouldRun(["a", "b", "c"].map((name) => code(name, "x.so")))).toBe(
    "a, b and 1 more model run the library x.so with all your rights.",
  );
  expect(wouldRun(["a", "b", "c", "d"].map((name) => code(name, `${name}.so`)))).toBe(
    "a, b and 2 more models run the libraries a.so, b.so and 2 more with all your rights.",
  );
  expect(wouldRun([code("a", "model.py", "backend"), code("b", "model.py", "backend")])).toBe(
    "a and b run the program model.py with all your rights.",
  );
  expect(wouldRun([code("a", "model.py", "backend"), code("b", "model.pt", "default_model_filename")])).toBe(
    "a and b run the program model.py and the model file model.pt with all your rights.",
  );
  expect(wouldRun([code("a", "adding", "own backend"), code("b", "adding", "own backend")])).toBe(
    "a and b run the backend adding with all your rights.",
  );
  expect(wouldRun([code("a", "model.py", "backend"), code("b", "x.so")])).toBe(
    "a and b run the program model.py and the library x.so with all your rights.",
  );
});
