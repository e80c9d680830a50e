// The processes of a run: the engine is a child of the workbench, which may be a child of a wrapper.
import { readdirSync, readFileSync } from "node:fs";

/** The children of a process, no matter which of its threads started them. */
export function children(pid) {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").split(" ").filter(Boolean).map(Number),
    );
  } catch {
    return []; // it has just ended
  }
}

export function descendants(pid) {
  return children(pid).flatMap((child) => [child, ...descendants(child)]);
}

/** The words a process was started with. */
export function commandLine(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  } catch {
    return [];
  }
}

/** The one `conch serve` below a process. */
export function findEngine(pid) {
  const engines = descendants(pid).filter((child) => commandLine(child)[1] === "serve");
  if (engines.length !== 1) throw new Error(`${engines.length} engines run below ${pid}`);
  return engines[0];
}

/** The workbench that started an engine, below a process or itself. */
export function findWorkbench(pid) {
  const engine = findEngine(pid);
  return [pid, ...descendants(pid)].find((candidate) => children(candidate).includes(engine));
}

/** The processor time that a process has used, in hundredths of a second. */
export function ticks(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
  return Number(fields[11]) + Number(fields[12]);
}
