import { configureTextEncoding, getTextEncoding } from "@bufbuild/protobuf/wire";
import type { Transport } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import { outlives } from "./leaving";
import { currentToken, readToken } from "./token";

/**
 * A request body that is a Blob, File or FormData ends the desktop window's process (WebKitGTK's custom
 * scheme handler), so it is refused here, loudly, in every engine.
 */
export function assertPlainBody(body: unknown): void {
  if (body instanceof Blob || body instanceof FormData || body instanceof ReadableStream) {
    throw new TypeError("request bodies must be text or bytes: convert with arrayBuffer() first");
  }
}

/** The token may change while the page is open. */
const authorizedFetch: typeof fetch = (input, init) => {
  assertPlainBody(init?.body);
  const headers = new Headers(init?.headers);
  const token = currentToken();
  if (token !== undefined) headers.set("Authorization", `Bearer ${token}`);
  const keepalive = init?.body instanceof Uint8Array && outlives(init.body.byteLength);
  return fetch(input, { ...init, headers, keepalive, redirect: "error" });
};

/** Texts come from the app as they are: a decoder drops a byte order mark at their begin unless it is told not to. */
export function keepByteOrderMarks(): void {
  const lenient = new TextDecoder("utf-8", { ignoreBOM: true });
  const strict = new TextDecoder("utf-8", { ignoreBOM: true, fatal: true });
  configureTextEncoding({
    ...getTextEncoding(),
    decodeUtf8: (bytes, isStrict) => (isStrict ? strict : lenient).decode(bytes),
  });
}

/** The one road to the app: Connect over HTTP at /api, binary, so that NaN, int64 and bytes arrive whole. */
export function createTransport(): Transport {
  readToken();
  keepByteOrderMarks();
  return createConnectTransport({ baseUrl: "/api", useBinaryFormat: true, fetch: authorizedFetch });
}
