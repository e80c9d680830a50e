// A place for one run: a copy of the example repository that may be broken, and a data folder of its own.
import { spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const READY_MS = 30_000;

export class Workplace {
  /** dir is made where none is given; a given one is emptied first, and is seen in the pictures. */
  constructor(dir = mkdtempSync(join(tmpdir(), "conch-e2e-"))) {
    this.dir = dir;
    rmSync(dir, { recursive: true, force: true });
    this.repository = join(this.dir, "repository");
    /** What the workbench is told to open. Its one Python model is ours, as with `make run`. */
    this.args = ["--trust", this.repository];
    this.data = join(this.dir, "data");
    /** Another server that a story started. */
    this.peer = undefined;
    /** Where sockets and other things of a running program lie, also of one that is killed. */
    this.runtime = join(this.dir, "run");
    /** Where the user's data lies, such as the trash. */
    this.home = join(this.dir, "home");
    /** More variables of the programs that are started from now on. */
    this.more = {};
    cpSync(join(ROOT, "examples/repository"), this.repository, { recursive: true });
    mkdirSync(this.data, { recursive: true });
    mkdirSync(this.runtime, { mode: 0o700 });
  }

  get env() {
    return {
      CONCH_DATA_DIR: this.data,
      TMPDIR: this.runtime,
      XDG_RUNTIME_DIR: this.runtime,
      XDG_DATA_HOME: this.home,
      CONCH_PYTHON: process.env.CONCH_PYTHON ?? join(ROOT, "build/cache/venv/bin/python3"),
      CONCH_ONNXRUNTIME: join(ROOT, "build/cache/onnxruntime/libonnxruntime.so.1"),
      ...this.more,
    };
  }

  read(path) {
    return readFileSync(resolve(this.repository, path), "utf8");
  }

  write(path, text) {
    mkdirSync(dirname(join(this.repository, path)), { recursive: true });
    writeFileSync(join(this.repository, path), text);
  }

  /** Another model, made of one that is there. */
  copy(model, name) {
    cpSync(join(this.repository, model), join(this.repository, name), { recursive: true });
  }

  /** Leaves out what runs in a process of Python, whose start and memory are measured elsewhere. */
  withoutPrograms() {
    rmSync(join(this.repository, "say_digit"), { recursive: true });
    return this;
  }

  /** Opens the repository as one that the user has not been asked about. */
  async distrust(page) {
    this.args = [this.repository];
    await page.reopen();
  }

  remove() {
    void this.peer?.stop(); // a server that a story started, and did not end as it failed
    rmSync(this.dir, { recursive: true, force: true, maxRetries: 20 }); // the last process may still be ending, and write
  }
}

/** Starts `conch web` and waits for the URL that it prints. */
export async function startWeb(place, extra = []) {
  const { child, log, found } = await start(place, ["web", ...place.args, "--port", "0", ...extra], {
    stream: "stdout",
    pattern: /(http:\/\/\S+)/,
  });
  return { url: found, pid: child.pid, log, ended: exitOf(child), stop: () => stop(child) };
}

/** Starts `conch serve` in explicit mode and waits until it listens. */
export async function startServe(place, extra = [], { grpc = 0 } = {}) {
  const ports = ["--http-port=0", `--grpc-port=${grpc}`, "--metrics-port=0"];
  const args = ["serve", `--model-repository=${place.repository}`, "--model-control-mode=explicit", ...ports];
  const { child, found } = await start(place, [...args, ...extra], {
    stream: "stderr",
    pattern: /Started HTTPService at ([\d.:]+)/,
  });
  await served(found).catch((error) => stop(child).then(() => Promise.reject(error)));
  return { address: found, stop: () => stop(child) };
}

/** Waits until a server has dealt with the models that it was told to load. */
async function served(address) {
  const end = Date.now() + READY_MS;
  while (Date.now() < end) {
    if ((await fetch(`http://${address}/v2/health/ready`)).ok) return;
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
  throw new Error(`the server at ${address} did not become ready`);
}

/** Starts the program and waits until one of its streams has a line like the pattern. */
async function start(place, args, { stream, pattern }) {
  const program = join(ROOT, "build/bin/conch-headless");
  const child = spawn(program, args, { env: { ...process.env, ...place.env } });
  const log = [];
  child.stderr.on("data", (data) => log.push(String(data)));
  const found = await new Promise((resolve, reject) => {
    const fail = (why) => reject(new Error(`conch ${args[0]} ${why}\n${log.join("")}`));
    const timer = setTimeout(() => fail("did not say where it listens"), READY_MS);
    let printed = "";
    child[stream].on("data", (data) => {
      printed += data;
      const match = printed.match(pattern);
      if (match) {
        clearTimeout(timer);
        resolve(match[1]);
      }
    });
    child.once("exit", (code) => fail(`ended with ${code}`));
  });
  return { child, log, found };
}

/** Resolves with the exit code of a process, or the signal that ended it. */
export function exitOf(child) {
  return new Promise((resolve) => child.once("exit", (code, signal) => resolve(code ?? signal)));
}

async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await gone;
}
