// The real window under Xvfb as a driver: xdotool moves the mouse and presses the keys, WebKit's inspector
// reads the page. The program is the one that users run; nothing in it knows that it is watched.
import { execFile, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { commandLine, descendants } from "../processes.mjs";
import { exitOf } from "../workplace.mjs";
import { connectInspector } from "./inspector.mjs";

const run = promisify(execFile);
const START_TIMEOUT_MS = 30_000;
const TEXT_TIMEOUT_MS = 30_000;
const KEY_TIMEOUT_MS = 1_000;
const QUESTION_TIMEOUT_MS = 30_000;

// Playwright's key names are the story's; xdotool has X11's.
const ARROWS = { ArrowDown: "Down", ArrowUp: "Up", ArrowLeft: "Left", ArrowRight: "Right" };
const KEYS = { Control: "ctrl", Shift: "shift", Alt: "alt", Enter: "Return" };
const KEY_NAMES = {
  ...KEYS,
  ...ARROWS,
  Backspace: "BackSpace",
  Delete: "Delete",
  Space: "space",
  ".": "period",
  "=": "equal",
  "-": "minus",
};

/** Waits until a process is gone. */
async function exitedProcess(pid) {
  for (const deadline = Date.now() + START_TIMEOUT_MS; commandLine(pid)[0]; ) {
    if (Date.now() > deadline) throw new Error(`process ${pid} is still there`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Opens `conch ARGS` in a window of the given size on a screen of its own. */
export async function openWindow(program, args, { size, env = {}, dark = false }) {
  const screen = await startScreen(size);
  const inspector = `127.0.0.1:${await freePort()}`;
  const runtime = mkdtempSync(join(tmpdir(), "conch-window-"));
  const environment = {
    ...process.env,
    ...env,
    DISPLAY: screen.display,
    XDG_RUNTIME_DIR: runtime,
    WEBKIT_INSPECTOR_HTTP_SERVER: inspector,
    ...(dark ? { GTK_THEME: "Adwaita:dark" } : {}),
  };
  const log = [];
  // A bus of its own, in a process group of its own: the whole of it can be ended at once.
  const began = Date.now();
  const child = spawn("dbus-run-session", ["--", program, ...args], { env: environment, detached: true });
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => log.push(String(data)));
  const ended = exitOf(child);
  const inspect = () =>
    connectInspector(inspector, AbortSignal.timeout(START_TIMEOUT_MS)).catch((error) => {
      throw new Error(`the window did not open: ${error.message}\n${log.join("")}`);
    });
  let page = await inspect();
  const evaluate = (expression) => page.evaluate(expression);
  const xdotool = (...words) => run("xdotool", words.map(String), { env: environment });
  const listen = () =>
    page.evaluate(
      "window.conchErrors = []; addEventListener('error', (e) => window.conchErrors.push(String(e.message))); 1",
    );
  await listen();
  return {
    name: "the window",
    /** What a program needs to open a window beside this one. */
    screen: { DISPLAY: screen.display, XDG_RUNTIME_DIR: runtime },
    errors: [],
    log,
    pid: child.pid,
    ended: () => ended,
    runtime,
    began,
    evaluate,
    /** Ends the process that shows the page, as a crash does, and looks at the page that comes next. */
    crash: async () => {
      const shows = descendants(child.pid).filter((pid) => commandLine(pid)[0].endsWith("/WebKitWebProcess"));
      if (shows.length !== 1) throw new Error(`${shows.length} processes show the page`);
      process.kill(shows[0], "SIGKILL");
      await exitedProcess(shows[0]);
      page = await inspect();
      await listen();
    },
    move: (x, y) => xdotool("mousemove", Math.round(x), Math.round(y)),
    down: () => xdotool("mousedown", 1),
    up: () => xdotool("mouseup", 1),
    type: (text) => typed(text, { xdotool, evaluate }),
    press: (key) => pressed(key, { xdotool, evaluate }),
    /** Closes the window: its button in the frame that the desktop draws sends the program the same. */
    quit: () => evaluate("window.runtime.Quit(); 1").catch(() => {}), // it may close before it answers
    answerQuestion: (yes) => answerQuestion(yes, xdotool),
    dragFile: (path, x, y) => dragFile(path, { x, y }, { xdotool, env: environment }),
    screenshot: (path) => run("import", ["-window", "root", path], { env: environment }),
    close: async () => {
      page.close();
      await end(child);
      screen.stop();
      rmSync(runtime, { recursive: true, force: true });
    },
  };
}

// How many keys the page has had, other than Shift and the like. The page counts from the first question on.
const KEYS_SEEN = `(() => {
  if (window.conchKeys === undefined) {
    window.conchKeys = 0;
    addEventListener("keydown", ({ key }) => {
      if (!/^(Shift|Control|Alt|AltGraph|Meta)$/.test(key)) window.conchKeys++;
    }, true);
  }
  return window.conchKeys;
})()`;

/** Sends keys, and waits until the page has had them. Resolves with how many it had by then. */
async function keys(count, limit, { send, evaluate }) {
  const before = await evaluate(KEYS_SEEN);
  await send();
  const end = Date.now() + limit;
  for (;;) {
    const seen = (await evaluate(KEYS_SEEN)) - before;
    if (seen >= count || Date.now() > end) return seen;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/**
 * Types, and waits until the page has had each key. WebKit hands keys to the page one by one; a click that follows
 * overtakes those that wait, and takes the focus from them.
 */
async function typed(text, { xdotool, evaluate }) {
  const count = [...text].length;
  const send = () => xdotool("type", "--delay", 8, "--", text);
  const seen = await keys(count, TEXT_TIMEOUT_MS, { send, evaluate });
  if (seen < count) throw new Error(`the page had ${seen} of ${count} keys of ${JSON.stringify(text)}`);
}

/**
 * Presses a key, and waits a little until the page has had it: who looks before that sees what was, and presses once
 * more. The window takes some keys itself, and some end the page.
 */
async function pressed(key, { xdotool, evaluate }) {
  let sent = false;
  const send = async () => {
    await xdotool("key", xKey(key));
    sent = true;
  };
  await keys(1, KEY_TIMEOUT_MS, { send, evaluate }).catch((error) => {
    if (!sent) throw error;
  });
}

/** Waits for a question over the page, and presses one of its buttons: No is at the left, Yes at the right. */
async function answerQuestion(yes, xdotool) {
  const shown = () =>
    xdotool("search", "--onlyvisible", "--name", "^Conch$").then(
      ({ stdout }) => stdout.trim().split("\n"),
      () => [], // the window has closed
    );
  for (const deadline = Date.now() + QUESTION_TIMEOUT_MS; (await shown()).length < 2; ) {
    if (Date.now() > deadline) throw new Error("the window asks nothing");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const { stdout } = await xdotool("getwindowgeometry", "--shell", (await shown()).at(-1));
  const [x, y, width, height] = ["X", "Y", "WIDTH", "HEIGHT"].map((name) =>
    Number(stdout.match(new RegExp(`^${name}=(\\d+)$`, "m"))[1]),
  );
  await xdotool("mousemove", Math.round(x + width * (yes ? 0.75 : 0.25)), y + height - 15, "click", 1);
}

/** Drags a file of this machine from another window onto a place of this one, and drops it there. */
async function dragFile(path, { x, y }, { xdotool, env }) {
  const python = env.CONCH_PYTHON ?? "python3";
  const source = spawn(python, [join(import.meta.dirname, "drag.py"), path], { env });
  const ended = exitOf(source);
  await new Promise((resolve, reject) => {
    source.stdout.once("data", resolve);
    source.once("exit", () => reject(new Error("the window to drag from did not open")));
  });
  await xdotool("mousemove", "--sync", 20, 20, "mousedown", 1);
  // A drag begins after some pixels, and each window on the way is told of it.
  for (const part of [0.05, 0.1, 0.5, 0.99, 1]) {
    await xdotool("mousemove", "--sync", Math.round(20 + (x - 20) * part), Math.round(20 + (y - 20) * part));
    await xdotool("sleep", "0.3");
  }
  await xdotool("mouseup", 1);
  await ended;
}

/** "Control+s" -> "ctrl+s". */
function xKey(key) {
  return key
    .split("+")
    .map((part) => KEY_NAMES[part] ?? part)
    .join("+");
}

async function startScreen({ width, height }) {
  const child = spawn(
    "Xvfb",
    ["-displayfd", "3", "-screen", "0", `${width}x${height}x24`, "-nolisten", "tcp"],
    {
      stdio: ["ignore", "ignore", "ignore", "pipe"],
    },
  );
  const number = await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.stdio[3].once("data", (data) => resolve(String(data).trim()));
  });
  return { display: `:${number}`, stop: () => child.kill() };
}

const ENDING_MS = 5_000;

async function end(child) {
  if (child.exitCode !== null || child.signalCode !== null) return; // it was killed
  const gone = new Promise((resolve) => child.once("exit", resolve));
  process.kill(-child.pid, "SIGTERM");
  const timer = setTimeout(() => process.kill(-child.pid, "SIGKILL"), ENDING_MS);
  await gone;
  await groupGone(child.pid, Date.now() + ENDING_MS); // the session's own process may end before the program, which holds its locks till then
  clearTimeout(timer);
}

/** Waits until no process of a group is left. One that nobody reaps is left for ever. */
async function groupGone(group, until) {
  while (Date.now() < until) {
    try {
      process.kill(-group, 0);
    } catch {
      return; // there is none
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
