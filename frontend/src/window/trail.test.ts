import { afterEach, beforeEach, expect, test } from "vitest";
import { goToModel, goToRepository, revealInConfig, usePlace } from "./place";
import { followTrail, goBack, goForward, leaveMark, renameInTrail, setLocator, useTrail } from "./trail";

const spot = (line: number) => ({ path: "config.pbtxt", line, column: 3, top: { line: 1, offset: 0 } });

let stop: () => void;
let forget: () => void;
let line = 1;

beforeEach(() => {
  usePlace.setState({
    model: "",
    modelTab: "try",
    repositoryTab: "overview",
    reveal: undefined,
    restore: undefined,
  });
  useTrail.setState({ back: [], forward: [] });
  stop = followTrail();
  forget = setLocator(() => (usePlace.getState().model ? spot(line) : undefined));
});

afterEach(() => {
  stop();
  forget();
});

test("a definition in another model leads back to the line it was asked for", () => {
  goToModel("read_digit", "config");
  forget();
  forget = setLocator(() => spot(42));
  revealInConfig("digits", { path: "config.pbtxt", from: 10, to: 20 });
  forget();
  forget = setLocator(() => spot(7));
  goBack();
  expect(usePlace.getState()).toMatchObject({
    model: "read_digit",
    modelTab: "config",
    restore: { line: 42 },
  });
  expect(usePlace.getState().reveal).toBeUndefined();
  forget();
  forget = setLocator(() => spot(42));
  goForward();
  expect(usePlace.getState()).toMatchObject({ model: "digits", restore: { line: 7 } });
});

test("a jump within a text is a step of its own, one to the same line is none", () => {
  goToModel("digits");
  line = 3;
  leaveMark();
  leaveMark();
  expect(useTrail.getState().back).toHaveLength(2);
  line = 30;
  goBack();
  expect(usePlace.getState()).toMatchObject({ model: "digits", restore: { line: 3 } });
  expect(useTrail.getState().forward).toHaveLength(1);
});

test("going elsewhere forgets the way forward; at the ends nothing happens", () => {
  goToModel("a");
  goToModel("b");
  goBack();
  expect(usePlace.getState().model).toBe("a");
  goToRepository("problems");
  goForward();
  expect(usePlace.getState()).toMatchObject({ model: "", repositoryTab: "problems" });
  for (let i = 0; i < 5; i++) goBack();
  expect(usePlace.getState()).toMatchObject({ model: "", repositoryTab: "overview" });
});

test("a renamed model is found by its new name", () => {
  goToModel("digits");
  goToRepository();
  renameInTrail("digits", "numbers");
  goBack();
  expect(usePlace.getState().model).toBe("numbers");
});
