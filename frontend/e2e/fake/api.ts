import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { type ConnectRouter, createConnectRouter } from "@connectrpc/connect";
import { createFetchHandler, type UniversalHandler } from "@connectrpc/connect/protocol";
import { registerEditor } from "./editor";
import { registerMetrics } from "./metrics";
import { registerModels } from "./models";
import { registerTry } from "./tries";
import { registerWorkspace } from "./workspace";
import { createWorld, type Scene } from "./world";

function toRequest(request: IncomingMessage): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) headers.set(name, String(value));
  const hasBody = request.method === "POST";
  return new Request(`http://${request.headers.host}${request.url}`, {
    method: request.method,
    headers,
    body: hasBody ? (Readable.toWeb(request) as ReadableStream) : undefined,
    duplex: "half",
  } as RequestInit);
}

async function send(answer: Response, response: ServerResponse): Promise<void> {
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  if (answer.body) for await (const chunk of answer.body) response.write(chunk);
  response.end();
}

/** The made-up API as a Node request handler. */
export function createFake(scene: Scene) {
  const world = createWorld(scene);
  const router: ConnectRouter = createConnectRouter();
  registerWorkspace(router, world);
  registerModels(router, world);
  registerEditor(router, world);
  registerTry(router, world);
  registerMetrics(router, world);
  const handlers = new Map(
    router.handlers.map((handler: UniversalHandler) => [handler.requestPath, createFetchHandler(handler)]),
  );
  return async (request: IncomingMessage, response: ServerResponse) => {
    const path = (request.url ?? "").replace(/^\/api/, "").replace(/\?.*/, "");
    const handler = handlers.get(path);
    if (!handler) return response.writeHead(404).end();
    try {
      await send(await handler(toRequest(request)), response);
    } catch {
      response.end();
    }
  };
}
