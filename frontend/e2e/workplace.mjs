// A place for one run: a copy of the example repository that may be broken, and a data folder of its own.
import { spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const READY_MS = 30_000;

export class Workplace {
  /** dir is made where none is given; a given one is emptied first, and stands in the pictures. */
  constructor(dir = mkdtempSync(join(tmpdir(), "conch-e2e-"))) {
    this.dir = dir;
    rmSync(dir, { recursive: true, force: true });
    this.repository = join(this.dir, "repository");
    this.data = join(this.dir, "data");
    cpSync(join(ROOT, "examples/repository"), this.repository, { recursive: true });
    mkdirSync(this.data, { recursive: true });
  }

  get env() {
    return {
      CONCH_DATA_DIR: this.data,
      CONCH_ONNXRUNTIME: join(ROOT, "build/cache/onnxruntime/libonnxruntime.so.1"),
    };
  }

  read(path) {
    return readFileSync(join(this.repository, path), "utf8");
  }

  write(path, text) {
    mkdirSync(dirname(join(this.repository, path)), { recursive: true });
    writeFileSync(join(this.repository, path), text);
  }

  remove() {
    rmSync(this.dir, { recursive: true, force: true });
  }
}

/** Starts `conch web` and waits for the URL that it prints. */
export async function startWeb(place, extra = []) {
  const program = join(ROOT, "build/bin/conch-headless");
  const child = spawn(program, ["web", place.repository, "--port", "0", ...extra], {
    env: { ...process.env, ...place.env },
  });
  const log = [];
  child.stderr.on("data", (data) => log.push(String(data)));
  const url = await new Promise((found, reject) => {
    const timer = setTimeout(() => reject(new Error(`conch web printed no URL\n${log.join("")}`)), READY_MS);
    let printed = "";
    child.stdout.on("data", (data) => {
      printed += data;
      const match = printed.match(/http:\/\/\S+/);
      if (match) {
        clearTimeout(timer);
        found(match[0]);
      }
    });
    child.once("exit", (code) => reject(new Error(`conch web ended with ${code}\n${log.join("")}`)));
  });
  return { url, pid: child.pid, log, stop: () => stop(child) };
}

async function stop(child) {
  if (child.exitCode !== null) return;
  const gone = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await gone;
}
