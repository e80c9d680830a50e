import { expect, test } from "vitest";
import { askOtherTabs, shareToken } from "./otherTabs";

test("a tab gets the token of one that has one that fits, and of no other", async () => {
  let token: string | undefined = "a".repeat(32);
  const ends = [shareToken(() => undefined), shareToken(() => token)];
  expect(await askOtherTabs()).toBe(token);
  token = undefined; // it was changed, and does not fit any more
  expect(await askOtherTabs(20)).toBeUndefined();
  for (const end of ends) end();
  expect(await askOtherTabs(20)).toBeUndefined();
});
