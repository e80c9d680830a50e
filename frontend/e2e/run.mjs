// Runs the stories of people working with Conch, and photographs every screen.
//   node frontend/e2e/run.mjs browser      in Chromium against `conch web`; with a story's name, that one alone
//   node frontend/e2e/run.mjs window       in the real window, under Xvfb
//   node frontend/e2e/run.mjs photograph   every screen, light and dark, to build/cache/e2e
//   node frontend/e2e/run.mjs pictures     those of docs/guide and README
//   node frontend/e2e/run.mjs bench        first paint, keystroke to squiggle, memory; a part alone: page, rest, start, graph, charts
import { execFile } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { access } from "./access.mjs";
import { bench } from "./bench.mjs";
import { benchPage } from "./benchPage.mjs";
import { comingBack } from "./comingBack.mjs";
import { convert } from "./convert.mjs";
import { drafts } from "./drafts.mjs";
import { openChromium } from "./drivers/chromium.mjs";
import { openWindow } from "./drivers/window.mjs";
import { ends } from "./ends.mjs";
import { gpus } from "./gpus.mjs";
import { graphStory } from "./graph.mjs";
import { guide } from "./guide.mjs";
import { handover } from "./handover.mjs";
import { heavy } from "./heavy.mjs";
import { keyboard } from "./keyboard.mjs";
import { language } from "./language.mjs";
import { laptop } from "./laptop.mjs";
import { metrics } from "./metrics.mjs";
import { Page, Skipped } from "./page.mjs";
import { photograph } from "./photograph.mjs";
import { findWorkbench } from "./processes.mjs";
import { python } from "./python.mjs";
import { remote } from "./remote.mjs";
import { repository } from "./repository.mjs";
import { sizes } from "./sizes.mjs";
import { story } from "./story.mjs";
import { stranger } from "./stranger.mjs";
import { triton } from "./triton.mjs";
import { ROOT, startWeb, Workplace } from "./workplace.mjs";

const SIZE = { width: 1280, height: 800 };
const STORIES = {
  story,
  metrics,
  language,
  repository,
  comingBack,
  drafts,
  ends,
  stranger,
  remote,
  triton,
  access,
  keyboard,
  heavy,
  graph: graphStory,
  sizes,
  laptop,
  python,
  handover,
  convert,
  gpus,
};
const PICTURES = join(ROOT, "build/cache/e2e");

/**
 * What a browser reports where the answer to a new size gave another element a new size: that one is told in the next frame. Libraries
 * do so, for example one that places a tooltip as soon as its size is known. A page that never comes to rest reports it in each frame.
 */
const TOLD_LATER = /^ResizeObserver loop completed with undelivered notifications/;
const MOST_TOLD_LATER = 4;

/** What of the reported errors fails a step. */
function failuresIn(thrown) {
  const later = thrown.filter((error) => TOLD_LATER.test(error));
  return later.length > MOST_TOLD_LATER ? thrown : thrown.filter((error) => !later.includes(error));
}

/** Opens the workbench in Chromium; closing it stops the server too. */
async function inBrowser(place, options = {}) {
  let server = await startWeb(place);
  const driver = await openChromium(server.url, { size: SIZE, ...options });
  /** Ends the server under the open page and, after meanwhile, starts it on the same port. Resolves with its address. */
  const restartServer = async (extra = [], meanwhile = async () => {}) => {
    await server.stop();
    await meanwhile();
    server = await startWeb(place, ["--port", new URL(server.url).port, ...extra]);
    return server.url;
  };
  const second = () => startAgain("build/bin/conch-headless", ["web", ...place.args], place.env);
  return {
    ...driver,
    pid: server.pid,
    ended: () => server.ended,
    restartServer,
    second,
    close: () => driver.close().then(() => server.stop()),
  };
}

/** Starts the program beside the one that runs, and waits for its end. Resolves with what it printed. */
async function startAgain(program, args, env) {
  const { stdout } = await promisify(execFile)(join(ROOT, program), args, {
    env: { ...process.env, ...env },
    timeout: 30_000,
  });
  return stdout;
}

async function inWindow(place, options = {}) {
  const program = join(ROOT, "build/bin/conch");
  const driver = await openWindow(program, place.args, { size: SIZE, env: place.env, ...options });
  return {
    ...driver,
    second: () => startAgain("build/bin/conch", place.args, { ...place.env, ...driver.screen }),
  };
}

/** Every story in a workbench of its own; all are told even where one fails. */
async function runStories(open, kind) {
  let well = true;
  const only = process.argv[3];
  for (const [name, steps] of Object.entries(STORIES)) {
    if (!only || only === name) well = (await runStory(open, kind, steps)) && well;
  }
  return well;
}

/** Runs the steps one after the other; each needs the one before, so the first failure ends the story. */
async function runStory(open, kind, steps) {
  const place = new Workplace();
  const page = new Page(await open(place));
  /** Closes everything and starts it again, as after a night. */
  page.reopen = async () => {
    await page.driver.close();
    page.driver = await open(place);
  };
  /** Ends the program as the system does when memory is short, and starts it again. */
  page.kill = async (meanwhile = () => {}) => {
    process.kill(findWorkbench(page.driver.pid), "SIGKILL");
    await page.driver.close();
    meanwhile();
    page.driver = await open(place);
  };
  /** Ends the program as a terminal does that is closed, and starts it again. Resolves with its exit code. */
  page.hangUp = async (meanwhile) => {
    process.kill(findWorkbench(page.driver.pid), "SIGHUP");
    const code = await page.driver.ended();
    await meanwhile();
    await page.driver.close();
    page.driver = await open(place);
    return code;
  };
  let passed = 0;
  let failed = 0;
  let skipped = 0;
  let threw = 0;
  /** Tells what the page threw in a step. A page that was opened again has forgotten what was told. */
  const tellThrown = async (during) => {
    const { driver } = page;
    const thrown = [...driver.errors, ...(await driver.evaluate("window.conchErrors ?? []").catch(() => []))];
    driver.errors.length = 0;
    await driver.evaluate("if (window.conchErrors) window.conchErrors.length = 0").catch(() => {});
    const failures = failuresIn(thrown);
    for (const error of failures) console.log(`FAIL the page threw in "${during}": ${error}`);
    threw += failures.length;
  };
  for (const [name, step] of steps) {
    const began = Date.now();
    try {
      await step(page, place);
      await page.stands();
      await tellThrown(name);
      passed++;
      console.log(`ok   ${name} (${Date.now() - began} ms)`);
    } catch (error) {
      if (error instanceof Skipped) {
        skipped++;
        console.log(`skip ${name}: ${error.message}`);
        continue;
      }
      failed++;
      await tellThrown(name);
      const picture = join(PICTURES, `failure-${kind}.png`);
      await page.driver.screenshot(picture).catch(() => {});
      console.log(`FAIL ${name}\n     ${error.message}\n     picture: ${picture}`);
      break;
    }
  }
  await tellThrown("the end");
  await page.driver.close();
  place.remove();
  const untold = steps.length - passed - failed - skipped;
  console.log(`${passed} passed, ${skipped} skipped, ${failed + untold + threw} failed`);
  return failed + untold + threw === 0;
}

/** Prints the figures of a part, or of all. */
async function benches(only) {
  if (!only || only === "page") await benchPage(inBrowser);
  return only === "page" || bench(inWindow, only);
}

mkdirSync(PICTURES, { recursive: true });
const command = process.argv[2];
const commands = {
  browser: () => runStories(inBrowser, "browser"),
  window: () => runStories(inWindow, "window"),
  photograph: () => photograph({ inBrowser, inWindow, pictures: PICTURES }),
  pictures: () => guide(inBrowser, join(ROOT, "docs/guide/pictures")),
  bench: () => benches(process.argv[3]),
};
if (!commands[command]) {
  console.error("usage: run.mjs browser | window | photograph | pictures | bench");
  process.exit(2);
}
process.exit((await commands[command]()) ? 0 : 1);
