import { expect, test } from "vitest";
import { fromHash, type Place, toHash } from "./place";

const place = (part: Partial<Place>): Place => ({
  model: "",
  modelTab: "try",
  repositoryTab: "overview",
  ...part,
});

test.each([place({}), place({ repositoryTab: "log" }), place({ model: "a b/ü", modelTab: "files" })])(
  "comes back from the address: %j",
  (there) => expect({ ...place({}), ...fromHash(toHash(there)) }).toEqual(there),
);
test("nonsense leads to the overview", () =>
  expect(fromHash("#/nowhere/x")).toEqual({ model: "", repositoryTab: "overview" }));
