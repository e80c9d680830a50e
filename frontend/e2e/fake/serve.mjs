// Serves the user interface from its sources with a made-up API behind it, for looking at it without the
// Go side. Not part of the product. usage: npm run fake [-- PORT [SCENE]]   scenes: rich (default), empty, none, many, answers, inputs, odd, problems, graphs, gpus
import { createServer as createHttpServer } from "node:http";
import { fileURLToPath } from "node:url";
import { createServer as createViteServer } from "vite";

const port = Number(process.argv[2] ?? 5199);
const scene = process.argv[3] ?? "rich";
const root = fileURLToPath(new URL("../..", import.meta.url));
const vite = await createViteServer({
  root,
  server: { middlewareMode: true, hmr: false, ws: false, watch: null },
});
const { createFake } = await vite.ssrLoadModule("/e2e/fake/api.ts");
const answer = createFake(scene);

createHttpServer((request, response) => {
  if (request.url?.startsWith("/api/")) answer(request, response);
  else vite.middlewares(request, response);
}).listen(port, "127.0.0.1", () => console.log(`http://127.0.0.1:${port}/`));
