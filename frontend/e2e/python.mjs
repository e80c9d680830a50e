// A Python model: it is written in the window, fails, hangs, is profiled and debugged.
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { answered, idle } from "./answers.mjs";
import { retype, typedOver } from "./editing.mjs";
import { pictures } from "./pictures.mjs";

const model = (name) => ({ css: `[data-model="${name}"]` });
const stateOf = (name, word) => ({ css: `[data-model="${name}"] [role=img][aria-label^="${word}"]` });
const tab = (name) => ({ role: "tab", name });
const button = (name) => ({ role: "button", name });
const ANSWER = "section[aria-label='Response']";
const PROBLEMS = "section[aria-label='Problems']";
const GRAPH = "section[aria-label='Graph of caller']";
const LOADING_MS = 30_000;
const NOT_LOADED = "[class*=notLoaded]";
const DIALOG_VALUE = "[role=dialog] input";

/** Puts another value into the field of the dialog. */
async function retypeValue(page, value) {
  await page.click({ css: DIALOG_VALUE });
  await page.driver.press("Control+a");
  await typedOver(page, value);
}

const config = `backend: "python"
max_batch_size: 0
input [{ name: "IN" data_type: TYPE_FP32 dims: [ 1 ] }]
output [{ name: "OUT" data_type: TYPE_FP32 dims: [ 1 ] }]
`;

const program = `import numpy as np
import triton_python_backend_utils as pb_utils


def doubled(value):
    if value < 0:
        raise ValueError("a negative number")
    while value > 100:
        pass
    return np.array([2 * value], np.float32)


class TritonPythonModel:
    def execute(self, requests):
        answers = []
        for request in requests:
            value = pb_utils.get_input_tensor_by_name(request, "IN").as_numpy()
            out = pb_utils.Tensor("OUT", doubled(value[0]))
            answers.append(pb_utils.InferenceResponse([out]))
        return answers
`;

/** Calls the other model, and one that is not there. */
const caller = `import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        return [self.ask(request) for request in requests]

    def ask(self, request):
        for name in ["nobody", "doubled"]:
            call = pb_utils.InferenceRequest(model_name=name, inputs=request.inputs(), requested_output_names=["OUT"])
            answer = call.exec()
        return pb_utils.InferenceResponse(answer.output_tensors())
`;

/** Types the only value of the input, and sends it. */
async function ask(page, value) {
  await page.click({ role: "textbox", name: /IN/ });
  await page.driver.press("Control+a");
  await typedOver(page, value);
  await idle(page);
  await page.see({ css: "main button:not(:disabled)", name: /^Send/ });
  await page.driver.press("Control+Enter");
}

/** Sends a value, and reads what is answered to it. */
async function tell(page, value, expected) {
  await answered(page, () => ask(page, value));
  if (expected) await page.reads(ANSWER, expected);
}

/** Brings the model. Where its repository is trusted, it is loaded. */
async function bring(page, place) {
  await page.see(stateOf("read_digit", "Ready"), LOADING_MS);
  place.write("doubled/config.pbtxt", config);
  place.write("doubled/1/model.py", program);
  await page.click(model("doubled"));
}

async function tryIt(page) {
  await page.see(stateOf("doubled", "Ready"), LOADING_MS);
  await tell(page, "21", /42/);
}

/** The steps with the model, once it is there and trusted. */
const work = [
  [
    "an error of a request leads to its line in the program",
    async (page) => {
      await tell(page, "-1", /ValueError: a negative number/);
      await page.click({ css: `${ANSWER} button`, name: /model\.py\(7\)/ });
      await page.see({ css: ".cm-conch-warning" });
      await page.reads(PROBLEMS, /line 7[\s\S]*ValueError: a negative number/);
      await page.click(tab("Metrics"));
      await page.click(button(/^\d+ failures?$/), LOADING_MS);
      await page.reads("ul[aria-label^=Requests]", /a negative number/);
      await page.driver.press("Alt+ArrowLeft");
      await page.click(tab("Config and try"));
    },
  ],
  [
    "a saved program serves soon, and has no problem of a request before",
    async (page) => {
      await retype(page, { text: "np.array([2", old: "2", typed: "3" });
      await page.driver.press("Control+s");
      await page.until("three times as much", async () => {
        await tell(page, "98.25");
        return page.driver.evaluate(`document.querySelector("${ANSWER}").textContent.includes("294.75")`);
      });
      await page.gone({ css: ".cm-conch-warning" });
    },
  ],
  [
    "a request that hangs says where it is, and is interrupted",
    async (page) => {
      await ask(page, "101");
      await page.click(button("Show where it is"), 15_000);
      await page.reads("section[aria-label='Stack']", /line (8|9) in doubled/);
      await page.click(button("Interrupt"));
      await page.reads(ANSWER, /KeyboardInterrupt: the request was interrupted/);
    },
  ],
  [
    "a profile shows where the time of a request went",
    async (page) => {
      await tell(page, "5", /15/);
      await page.click(button("Profile this request"));
      await page.click(button("Show the profile"));
      await page.click({ role: "treeitem", name: /^doubled,/ });
      await page.see(button("Show all"));
      await page.driver.press("Escape");
      await page.gone(button("Show all"));
    },
  ],
  [
    "its process is shown; without debugpy the window says how to install it, with it where it listens",
    async (page) => {
      await page.reads("ul[aria-label='Processes']", /doubled_0[\s\S]*Idle[\s\S]*Memory[\s\S]*MiB/);
      await page.click(button("Start the debugger"));
      await page.reads(
        "ul[aria-label='Processes']",
        /Listens for a debugger at 127\.0\.0\.1:\d+|pip install debugpy/,
      );
      await page.click(tab("Config and try"));
    },
  ],
  [
    "what a program was seen calling is a graph, with a model that is not there",
    async (page, place) => {
      place.write("caller/config.pbtxt", config);
      place.write("caller/1/model.py", caller);
      await page.click(model("caller"));
      await page.see(stateOf("caller", "Ready"), LOADING_MS);
      await tell(page, "7", /21/);
      await page.reads("[role=tablist][aria-label='Pages of the model']", /Files\s+Graph and try\s*$/);
      await page.click(tab("Graph and try"));
      await page.reads(GRAPH, /There is no model "nobody" in this repository/);
      await page.reads(GRAPH, /model caller to called model doubled: 1 call, last/);
      await tell(page, "8");
      await page.reads(GRAPH, /model caller to called model doubled: 2 calls, last/);
      await ask(page, "101");
      await page.reads(GRAPH, /model caller to called model doubled: 3 calls, 1 running now/);
      await page.click(button("Interrupt"), 15_000);
      await page.reads(ANSWER, /KeyboardInterrupt: the request was interrupted/);
      await page.click(model("doubled"));
      await page.click(tab("Debug"));
      await page.click(button("Interrupt"));
      await page.reads("ul[aria-label='Processes']", /doubled_0[\s\S]*Idle/);
      await page.click(tab("Config and try"));
      await page.click(model("caller"));
      await page.click(tab("Graph and try"));
      await page.reads(GRAPH, /model caller to called model doubled: 3 calls, 1 failed, last/);
      place.write("caller/1/model.py", `${caller}# changed\n`);
      await page.reads(GRAPH, /It has called no other model since it was loaded/);
      await page.click(tab("Config and try"));
      await page.gone(tab("Graph and try"));
    },
  ],
];

export const python = [
  [
    "a Python model is brought and, once it is trusted, loaded",
    async (page, place) => {
      await place.distrust(page);
      await bring(page, place);
      await page.click({ role: "button", name: /^Trust/ });
      await tryIt(page);
    },
  ],
  ...work,
  [
    "a new Python model has a program that answers at once, open in the editor",
    async (page) => {
      await page.click(button("New model"));
      await page.click({ css: "#new-model-name" });
      await page.driver.type("begun");
      await page.click({ css: "input[value=python]" });
      await page.reads("[role=dialog]", /a first 1\/model\.py that answers with its input/);
      await pictures(page, "new-python");
      await page.click(button("Create and load"));
      await page.reads(".cm-content:focus", /class TritonPythonModel/);
      await page.see(stateOf("begun", "Ready"), LOADING_MS);
      await tell(page, "21", /21/);
      await pictures(page, "new-python-answers");
    },
  ],
  [
    "a Python model without its program says what it lacks, also after a load that fails, and gets one",
    async (page, place) => {
      place.write("bare/config.pbtxt", config);
      place.write("bare/1/.keep", "");
      rmSync(join(place.repository, "bare/1/.keep"));
      await page.click(model("bare"));
      await page.reads(NOT_LOADED, /bare cannot be loaded like this[\s\S]*Put model\.py into bare\/1/);
      await pictures(page, "no-program");
      await page.click(button("Load anyway"));
      await page.reads(
        "[role=alert]",
        /bare was not loaded[\s\S]*It has no model file yet[\s\S]*Python model file not found/,
      );
      await page.reads(NOT_LOADED, /Put model\.py into bare\/1/);
      await pictures(page, "no-program-failed");
      await page.click({ css: `${NOT_LOADED} button`, name: "Write 1/model.py" });
      await page.reads(".cm-content:focus", /class TritonPythonModel/);
      await page.see(stateOf("bare", "Ready"), LOADING_MS);
      await tell(page, "5", /5/);
    },
  ],
  [
    "the files of a model get a new file, a new version and a file of this machine",
    async (page, place) => {
      await page.click(tab("Files"));
      await page.click(button("New file…"));
      await page.see({ css: DIALOG_VALUE });
      await retypeValue(page, "1/model.py");
      await page.reads("[role=dialog]", /There is a file 1\/model\.py already/);
      await retypeValue(page, "../outside.txt");
      await page.reads("[role=dialog] [role=status]", /outside/);
      await retypeValue(page, "helpers/words.txt");
      await pictures(page, "new-file");
      await page.click(button("Create and open"));
      await page.until("the new file", () => existsSync(join(place.repository, "bare/helpers/words.txt")));
      await page.gone({ role: "dialog" });
      await page.see({ css: ".cm-content:focus" });
      await page.driver.type("hello");
      await page.driver.press("Control+s");
      await page.until("its text", () => place.read("bare/helpers/words.txt") === "hello");
      await page.click(tab("Files"));
      await page.click(button("New version…"));
      await page.reads("[role=dialog]", /A copy of 1\/model\.py/);
      await pictures(page, "new-version");
      await page.click(button("Create 2/"));
      await page.gone({ role: "dialog" });
      await page.reads("table", /2\/model\.py/);
      await page.see(stateOf("bare", "Ready"), LOADING_MS);
      const file = join(place.dir, "weights.bin");
      writeFileSync(file, "some weights");
      await (page.driver.dropPath ?? page.driver.dragFile)(file, 640, 500);
      await page.see({ css: DIALOG_VALUE });
      await retypeValue(page, "1");
      await pictures(page, "add-files");
      await page.click(button("Add"));
      await page.until("the file", () => place.read("bare/1/weights.bin") === "some weights");
      await page.gone({ role: "dialog" });
      await page.reads("table", /1\/weights\.bin/);
      await pictures(page, "files");
    },
  ],
];

/** The same in a repository that is trusted. */
export async function debugging(page, place) {
  await bring(page, place);
  await tryIt(page);
  for (const [, step] of work) await step(page, place);
}

/** Where the time of a request went, above the process that ran it, whose debugger was started before. */
export async function profiling(page) {
  await page.click(model("doubled"));
  await tell(page, "5", /15/);
  await page.click(button("Profile this request"));
  await page.click(button("Show the profile"));
  await page.see({ role: "treeitem", name: /^doubled,/ });
  await page.reads("ul[aria-label='Processes']", /Listens for a debugger|pip install debugpy/);
}
