import { expect, test } from "vitest";

import { changedTitle } from "./changedTitle";

test("files outside of the model's folder are named", () => {
  expect(changedTitle([])).toBe("The version loaded before keeps serving. Reload loads the changed files.");
  expect(changedTitle(["/r/common/text.py", "/r/b.py"])).toMatch(
    /^Imported from outside of the model's folder and changed: \/r\/common\/text\.py, \/r\/b\.py\. The/,
  );
});
