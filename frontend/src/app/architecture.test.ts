// @vitest-environment node
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const src = fileURLToPath(new URL("..", import.meta.url));

const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((path) => /\.tsx?$/.test(path));
const known = new Set(files);

/** The file that an import of ours means; undefined for packages and styles. */
function resolve(from: string, specifier: string): string | undefined {
  if (!specifier.startsWith(".")) return undefined;
  const base = join(dirname(from), specifier);
  return [base, `${base}.ts`, `${base}.tsx`].find((path) => known.has(path));
}

const STATEMENT = /(?:^|\n)(?:import|export)\s+(type\s)?[^;]*?from\s+"([^"]+)"|import\("([^"]+)"\)/g;

/** What a file imports; types alone leave nothing behind when it runs. */
function importsOf(file: string): { to: string; typeOnly: boolean }[] {
  const text = readFileSync(join(src, file), "utf8");
  return [...text.matchAll(STATEMENT)].flatMap((match) => {
    const to = resolve(file, match[2] ?? match[3] ?? "");
    return to === undefined ? [] : [{ to, typeOnly: match[1] !== undefined }];
  });
}

const graph = new Map(files.map((file) => [file, importsOf(file)]));
const isTest = (file: string) => file.includes(".test.");
const layer = (file: string) => file.split("/")[0] ?? "";
const feature = (file: string) => (layer(file) === "features" ? file.split("/")[1] : undefined);

const edges = [...graph].flatMap(([from, targets]) => targets.map(({ to }) => ({ from, to })));
const named = ({ from, to }: { from: string; to: string }) => `${from} -> ${to}`;

test("no feature imports another feature", () => {
  const wrong = edges.filter(({ from, to }) => feature(from) && feature(to) && feature(from) !== feature(to));
  expect(wrong.map(named)).toEqual([]);
});

/** What each part may import. Parts that no line names do not exist. */
const below: Record<string, string[]> = {
  app: ["features", "requests", "metrics", "workspace", "window", "ui", "api", "lib"],
  features: ["requests", "metrics", "workspace", "window", "ui", "api", "lib"],
  requests: ["workspace", "window", "ui", "api", "lib"],
  metrics: ["workspace", "window", "ui", "api", "lib"],
  workspace: ["window", "ui", "api", "lib"],
  window: ["ui", "api", "lib"],
  ui: ["lib"],
  api: ["lib"],
  lib: ["api"],
  testing: [],
};

test("every folder of the sources is one of the parts", () => {
  const folders = new Set(files.filter((file) => file.includes("/")).map(layer));
  expect([...folders].sort()).toEqual(Object.keys(below).sort());
});

test("parts import only what lies below them; ui knows neither the program's API nor any state", () => {
  const wrong = edges.filter(
    ({ from, to }) =>
      !isTest(from) &&
      from !== "main.tsx" &&
      layer(from) !== layer(to) &&
      !below[layer(from)]?.includes(layer(to)),
  );
  expect(wrong.map(named)).toEqual([]);
});

test("there are no import cycles between values", () => {
  const done = new Set<string>();
  const cycles: string[] = [];
  const walk = (file: string, path: string[]) => {
    const at = path.indexOf(file);
    if (at >= 0) cycles.push([...path.slice(at), file].join(" -> "));
    if (at >= 0 || done.has(file)) return;
    for (const { to, typeOnly } of graph.get(file) ?? []) if (!typeOnly) walk(to, [...path, file]);
    done.add(file);
  };
  for (const file of files) walk(file, []);
  expect(cycles).toEqual([]);
});

test("files stay within 300 lines", () => {
  const long = files
    .filter((file) => !file.endsWith("conch_pb.ts"))
    .map((file) => ({ file, lines: readFileSync(join(src, file), "utf8").split("\n").length - 1 }))
    .filter(({ lines }) => lines > 300);
  expect(long.map(({ file, lines }) => `${relative(src, join(src, file))}: ${lines}`)).toEqual([]);
});

test("nothing of the model's output is taken for markup", () => {
  const markup = files.filter(
    (file) =>
      !isTest(file) &&
      /dangerouslySetInnerHTML|\.innerHTML|insertAdjacentHTML/.test(readFileSync(join(src, file), "utf8")),
  );
  expect(markup).toEqual([]);
});

test("one part draws every choice of a list", () => {
  const own = files.filter(
    (file) => !isTest(file) && /<select\b/.test(readFileSync(join(src, file), "utf8")),
  );
  expect(own).toEqual(["ui/Select.tsx"]);
});

test("questions about a pane's width are asked in rem", () => {
  // WebKitGTK compares pixels with the zoomed width: at 150 % a pane would count as half as wide again.
  const styles = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((path) =>
    path.endsWith(".css"),
  );
  const wrong = styles.filter((path) => /@container[^{]*\dpx/.test(readFileSync(join(src, path), "utf8")));
  expect(wrong).toEqual([]);
});
