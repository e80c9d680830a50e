import { expect, test } from "vitest";
import { readToken } from "./token";
import { assertPlainBody } from "./transport";

test.each([new Blob(["x"]), new FormData(), new ReadableStream()])(
  "refuses a body that ends the window",
  (body) => expect(() => assertPlainBody(body)).toThrow(/arrayBuffer/),
);
test.each(["text", new Uint8Array(2), new ArrayBuffer(2), undefined, null])("takes %s", (body) =>
  expect(() => assertPlainBody(body)).not.toThrow(),
);

test("the token leaves the address and stays for the tab", () => {
  window.history.replaceState(null, "", "/?token=abc&x=1#/log");
  expect(readToken()).toBe("abc");
  expect(window.location.href).toMatch(/\/\?x=1#\/log$/);
  expect(readToken()).toBe("abc");
});
