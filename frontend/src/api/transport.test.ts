import { fromBinary } from "@bufbuild/protobuf";
import { StringValueSchema } from "@bufbuild/protobuf/wkt";
import { expect, test, vi } from "vitest";
import { outlives } from "./leaving";
import { currentToken, followAddress, readToken, tokenIn } from "./token";
import { assertPlainBody, keepByteOrderMarks } from "./transport";

test.each([new Blob(["x"]), new FormData(), new ReadableStream()])(
  "refuses a body that ends the window",
  (body) => expect(() => assertPlainBody(body)).toThrow(/arrayBuffer/),
);
test.each(["text", new Uint8Array(2), new ArrayBuffer(2), undefined, null])("takes %s", (body) =>
  expect(() => assertPlainBody(body)).not.toThrow(),
);

test("a text that begins with a byte order mark arrives with it", () => {
  keepByteOrderMarks();
  const sent = new Uint8Array([0x0a, 4, 0xef, 0xbb, 0xbf, 0x61]); // field 1, four bytes
  expect(fromBinary(StringValueSchema, sent).value).toBe("\uFEFFa");
  const broken = new Uint8Array([0x0a, 1, 0xff]);
  expect(() => fromBinary(StringValueSchema, broken)).toThrow();
});

const TOKEN = "0123456789abcdef0123456789abcdef";
const OTHER = "f".repeat(32);

test("the token leaves the address and stays for the tab", () => {
  window.history.replaceState(null, "", `/?x=1#token=${TOKEN}`);
  expect(readToken()).toBe(TOKEN);
  expect(window.location.href).toMatch(/\/\?x=1$/);
  expect(readToken()).toBe(TOKEN);
});

test("an address with another token that is opened in the tab is taken, and the place stays", async () => {
  window.history.replaceState(null, "", "/#/models/digits/try");
  const told = vi.fn();
  const places = vi.fn();
  const unfollow = followAddress(told);
  window.addEventListener("hashchange", places);
  window.location.hash = `token=${OTHER}`;
  await vi.waitFor(() => expect(told).toHaveBeenCalledOnce());
  expect(currentToken()).toBe(OTHER);
  expect(window.location.hash).toBe("#/models/digits/try");
  expect(places).not.toHaveBeenCalled();
  window.location.hash = "/log";
  await vi.waitFor(() => expect(places).toHaveBeenCalledOnce());
  expect(told).toHaveBeenCalledOnce();
  unfollow();
  window.removeEventListener("hashchange", places);
});

test.each([TOKEN, ` http://127.0.0.1:8008/#token=${TOKEN}\n`])("%s holds a token", (text) =>
  expect(tokenIn(text)).toBe(TOKEN),
);
test.each(["", "http://127.0.0.1:8008/", TOKEN.slice(1), `${TOKEN}0`, "#/models/x"])(
  "%s holds none",
  (text) => expect(tokenIn(text)).toBeUndefined(),
);

test("what a page sends while it goes away outlives it, up to what browsers finish", () => {
  expect(outlives(10)).toBe(false);
  window.dispatchEvent(new Event("pagehide"));
  expect([40_000, 30_000, 20_000, 1].map((bytes) => outlives(bytes))).toEqual([true, false, true, false]);
  window.dispatchEvent(new Event("pageshow"));
  expect(outlives(10)).toBe(false);
});
