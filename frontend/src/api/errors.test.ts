import { Code, ConnectError } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { describeError } from "./errors";

test("what the program forbids has its own way out, and no second one", () => {
  const why =
    "cannot create /r/m: permission denied: this user may not change the folder; change its permissions (chmod u+w)";
  expect(describeError(new ConnectError(why, Code.PermissionDenied))).toMatchObject({
    message: why,
    advice: undefined,
  });
  expect(describeError(new ConnectError("no token", Code.Unauthenticated)).advice).toContain("conch web");
});
