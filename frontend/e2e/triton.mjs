// The window on the real tritonserver: models, requests, ensembles and figures, while the server is put behind TLS,
// frozen, killed, stopped and started. Without $CONCH_TRITON it is left out, and says so.
import { AWAY, addServer, enter, item, SWITCH, stateOf } from "./remote.mjs";
import { encrypted, TritonServer } from "./tritonServer.mjs";

const LOADING_MS = 60_000;
const MODELS = ["add_sub", "count", "digits", "digits_prepare", "read_digit", "say_digit"];
const ANSWER = "section[aria-label='Response']";
const model = (name) => ({ css: `[data-model="${name}"]` });
const send = { css: "main button:not(:disabled)", name: /^Send/ };
const tab = (name) => ({ role: "tab", name });

/** Sends to add_sub and waits for an answer that was not there before. */
async function sum(page) {
  await page.click(model("add_sub"));
  await page.click(tab(/^Config and try/));
  await page.see(send, LOADING_MS);
  await page.driver.evaluate(
    `document.querySelectorAll("section[aria-label='Output OUTPUT0']").forEach((e) => e.setAttribute("data-old", ""))`,
  );
  await page.click(send);
  await page.reads(ANSWER, /OUTPUT0[\s\S]*INT32/, LOADING_MS);
  await page.gone({ css: `${ANSWER} [role=alert]` });
}

/** Changes the server that is shown in its dialog. */
async function edit(page, name, fields) {
  await page.click(SWITCH);
  await page.click(item(new RegExp(`^Edit ${name}`)));
  for (const [label, text] of Object.entries(fields)) await enter(page, label, text);
  await page.click({ role: "button", name: "Test" });
  await page.see({ css: "[role=dialog] p", name: /triton 2\.\d+\.\d+ answers, with 6 models/ }, LOADING_MS);
  await page.click({ role: "button", name: "Save and show" });
  await page.gone({ role: "dialog" });
  for (const one of MODELS) await page.see(stateOf(one, "Ready"), LOADING_MS);
}

/** Waits until it is said that the server is away, and that the rest of the window goes on. */
async function away(page) {
  await page.see(AWAY, LOADING_MS);
  await page.reads(AWAY.css, /staging has not answered since/);
  await page.click({ role: "button", name: "Settings" });
  await page.see({ role: "menu" }, 1_000);
  await page.driver.press("Escape");
  await page.gone({ role: "menu" });
}

async function back(page) {
  await page.click({ role: "button", name: "Try now" });
  await page.gone(AWAY, LOADING_MS);
  for (const one of MODELS) await page.see(stateOf(one, "Ready"), LOADING_MS);
  await sum(page);
}

const steps = [
  [
    "the real server is added: its models, of ONNX, Python and an ensemble, are ready",
    async (page, place) => {
      place.peer = await TritonServer.make(place);
      const { grpc, metrics } = place.peer;
      await addServer(page, { address: `grpc://127.0.0.1:${grpc}`, metrics: `127.0.0.1:${metrics}` });
      await page.click({ role: "button", name: "Save and show" });
      for (const one of MODELS) await page.see(stateOf(one, "Ready"), LOADING_MS);
    },
  ],
  [
    "a model is unloaded and loaded there",
    async (page) => {
      await page.click(model("digits_prepare"));
      await page.click({ css: "button", name: /^Unload/ });
      await page.until(
        "the question or the state",
        async () => {
          const sure = { css: "[role=dialog] button", name: /^Unload/ };
          if (await page.box(sure)) await page.click(sure);
          return page.box(stateOf("digits_prepare", "Unloaded"));
        },
        LOADING_MS,
      );
      await page.click({ css: "main button, header button", name: /^Load/ });
      await page.see(stateOf("digits_prepare", "Ready"), LOADING_MS);
    },
  ],
  [
    "requests: numbers, and text of a Python model",
    async (page) => {
      await sum(page);
      await page.click(model("say_digit"));
      await page.draw({ role: "img", name: "Draw IMAGE" }, [
        [
          [0.5, 0.2],
          [0.5, 0.8],
        ],
      ]);
      await page.driver.press("Control+Enter");
      await page.reads(ANSWER, /TEXT[\s\S]*BYTES|TEXT[\s\S]*STRING/, LOADING_MS);
    },
  ],
  [
    "a model that answers several times streams its answers",
    async (page) => {
      await page.click(model("count"));
      await page.click({ role: "textbox", name: /TIMES/ });
      await page.driver.press("Control+a");
      await page.driver.type("3");
      await page.driver.press("Control+Enter");
      await page.reads(ANSWER, /3 answers/, LOADING_MS);
    },
  ],
  [
    "an ensemble is a graph, and a request goes through it",
    async (page) => {
      await page.click(model("read_digit"));
      await page.reads("section[aria-label='Graph of read_digit']", /prepared\s+FP32 \[-1, 64\]/, LOADING_MS);
      await page.draw({ role: "img", name: "Draw IMAGE" }, [
        [
          [0.5, 0.2],
          [0.5, 0.8],
        ],
      ]);
      await page.driver.press("Control+Enter");
      await page.reads(ANSWER, /DIGIT\s+FP32 \[1, 10\]/, LOADING_MS);
    },
  ],
  [
    "figures: the requests are counted, and the charts say that percentiles are the server's",
    async (page) => {
      await page.click(model("add_sub"));
      await page.click(tab("Metrics"));
      await page.reads(
        "section[aria-label='What the figures are made from']",
        /Percentiles are those that the server computes/,
        LOADING_MS,
      );
      await page.reads(
        "section[aria-label='Latency in the engine']",
        /p50 [\d.]+ [µm]?s\s+p95 [\d.]+ [µm]?s\s+p99 [\d.]+ [µm]?s/,
        LOADING_MS,
      );
    },
  ],
  [
    "it is put behind TLS, and answers with its certificate",
    async (page, place) => {
      const { port, ca } = await encrypted(place, place.peer.grpc, "h2");
      await edit(page, "staging", { Address: `grpcs://127.0.0.1:${port}`, "CA file": ca });
      await sum(page);
    },
  ],
  [
    "over HTTP, behind TLS too, it answers the same; what answers several times says that it needs gRPC",
    async (page, place) => {
      const { port, ca } = await encrypted(place, place.peer.http, "http/1.1");
      await edit(page, "staging", { Address: `https://127.0.0.1:${port}`, "CA file": ca });
      await sum(page);
      await page.click(model("count"));
      await page.see(send, LOADING_MS);
      await page.driver.press("Control+Enter");
      await page.reads(ANSWER, /decoupled model answers over gRPC alone/, LOADING_MS);
      await edit(page, "staging", { Address: `grpc://127.0.0.1:${place.peer.grpc}` });
    },
  ],
  [
    "frozen: the window says so and stays usable, and goes on when it thaws",
    async (page, place) => {
      place.peer.signal("SIGSTOP");
      await away(page);
      place.peer.signal("SIGCONT");
      await back(page);
    },
  ],
  [
    "killed: a new one in its place is shown by itself",
    async (page, place) => {
      await place.peer.stop();
      await away(page);
      await place.peer.start();
      await back(page);
    },
  ],
  [
    "stopped in good order and started, after which this machine is shown",
    async (page, place) => {
      place.peer.signal("SIGTERM");
      await place.peer.ended;
      await away(page);
      await place.peer.start();
      await back(page);
      await page.click(SWITCH);
      await page.click(item("This machine"));
      await page.see(stateOf("digits", "Ready"), LOADING_MS);
      await place.peer.stop();
    },
  ],
];

const leftOut = [
  [
    "the stories of models, requests, ensembles and figures against the real tritonserver",
    async (page) => page.skip("left out: $CONCH_TRITON names no command that starts it (CONTRIBUTING.md)"),
  ],
];

export const triton = process.env.CONCH_TRITON ? steps : leftOut;
