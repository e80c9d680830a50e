// Prints the npm packages that the built page contains, one a line: what vite bundles, not what is installed.
import { build } from "vite";

const built = await build({ logLevel: "error", build: { write: false } });
const files = [built].flat().flatMap(({ output }) => output);
const sources = files.flatMap((file) => (file.type === "chunk" ? file.moduleIds : file.originalFileNames));
const packages = sources.flatMap((id) => id.match(/.*node_modules\/((?:@[^/]+\/)?[^/]+)/)?.[1] ?? []);
console.log([...new Set(packages)].sort().join("\n"));
