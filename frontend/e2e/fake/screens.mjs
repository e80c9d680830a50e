// What is worth looking at, by name.
import { answerScreens } from "./answerScreens.mjs";
import { graphScreens } from "./graphScreens.mjs";
import { oddScreens } from "./oddScreens.mjs";
import { tryScreens } from "./tryScreens.mjs";

const both = ["light", "dark"];

const range = async (page, label) => {
  await page.getByRole("radio", { name: label, exact: true }).click();
  await page.waitForTimeout(500);
};

/** Drags over the middle of the first chart. */
const zoom = async (page) => {
  const box = await page.getByRole("application").first().boundingBox();
  await page.mouse.move(box.x + box.width * 0.4, box.y + 60);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.7, box.y + 60, { steps: 4 });
  await page.mouse.up();
  await page.waitForTimeout(500);
};

const refusedRequests = async (page) => {
  await page.getByRole("radio", { name: /^Refused by the ports/ }).click();
  await page.getByText(/nexpected shape/).click();
  await page.waitForTimeout(300);
};

export const screens = {
  overview: { schemes: both },
  overviewNarrow: { size: { width: 1024, height: 700 } },
  overviewWide: { schemes: both, size: { width: 1920, height: 1080 } },
  overviewDay: { act: (page) => range(page, "24 h") },
  overviewMonth: { act: (page) => range(page, "30 d") },
  overviewZoom: { act: zoom },
  model: {
    hash: "#/models/digits/try",
    schemes: both,
    act: async (page) => {
      await page.locator(".cm-conch-error").first().click();
      await page.waitForTimeout(900);
    },
  },
  ensemble: { hash: "#/models/read_digit/try", schemes: both },
  completion: {
    hash: "#/models/digits/try",
    act: async (page) => {
      await page.locator(".cm-content").click();
      await page.keyboard.press("Control+End");
      await page.keyboard.type("ins");
      await page.waitForTimeout(700);
    },
  },
  effective: {
    hash: "#/models/digits/try",
    schemes: both,
    act: async (page) => {
      await page.getByRole("radio", { name: "Effective" }).click();
      await page.waitForTimeout(500);
      await page.locator(".cm-scroller").evaluate((element) => element.scrollTo(0, 9999));
      await page.waitForTimeout(200);
    },
  },
  search: {
    hash: "#/models/digits/try",
    schemes: both,
    act: async (page) => {
      await page.locator(".cm-content").click();
      await page.keyboard.press("Control+f");
      await page.keyboard.type("dims");
      await page.keyboard.press("Enter");
      await page.waitForTimeout(200);
    },
  },
  searchBad: {
    hash: "#/models/digits/try",
    size: { width: 1024, height: 700 },
    act: async (page) => {
      await page.locator(".cm-content").click();
      await page.keyboard.press("Control+f");
      await page.getByRole("button", { name: "Regular expression" }).click();
      await page.getByRole("textbox", { name: "Find" }).fill("dims: [(");
      await page.waitForTimeout(200);
    },
  },
  keys: { schemes: both, act: (page) => page.keyboard.press("F1") },
  palette: { schemes: both, act: (page) => page.keyboard.press("Control+k") },
  compare: {
    hash: "#/models/digits/config",
    schemes: both,
    size: { width: 1024, height: 700 },
    act: async (page) => {
      await page.getByRole("radio", { name: "Compare" }).click();
      await page.waitForTimeout(500);
    },
  },
  files: { hash: "#/models/digits/files" },
  log: { hash: "#/log", schemes: both },
  problems: { hash: "#/problems" },
  requests: { hash: "#/requests" },
  metrics: { hash: "#/models/digits/metrics", schemes: both, wait: 2500 },
  metricsNarrow: { hash: "#/models/digits/metrics", wait: 2500, size: { width: 1024, height: 700 } },
  metricsWide: {
    hash: "#/models/digits/metrics",
    schemes: both,
    wait: 2500,
    size: { width: 1920, height: 1080 },
  },
  notices: {
    schemes: both,
    act: async (page) => {
      await page.getByRole("button", { name: "Load all" }).click();
      await page.waitForTimeout(700);
      await page.getByRole("button", { name: /^Notices/ }).click();
      await page.waitForTimeout(300);
    },
  },
  refusedRequests: { hash: "#/requests", schemes: both, act: refusedRequests },
  refusedRequestsNarrow: { hash: "#/requests", size: { width: 1024, height: 700 }, act: refusedRequests },
  refusedRequestsWide: { hash: "#/requests", size: { width: 1920, height: 1080 }, act: refusedRequests },
  metricsDay: {
    hash: "#/models/digits/metrics",
    act: async (page) => {
      await range(page, "24 h");
      const box = await page.getByRole("application").first().boundingBox();
      await page.mouse.move(box.x + box.width * 0.816, box.y + 40);
    },
  },
  newModel: { schemes: both, act: (page) => page.getByRole("button", { name: "New model" }).click() },
  newModelFile: {
    schemes: both,
    act: async (page) => {
      await page.getByRole("button", { name: "New model" }).click();
      const file = {
        name: "resnet50.onnx",
        mimeType: "application/octet-stream",
        buffer: Buffer.alloc(4_000_000),
      };
      await page.locator("input[type=file]").setInputFiles(file);
      await page.getByLabel(/config.pbtxt/).waitFor();
    },
  },
  newModelSmall: {
    size: { width: 1024, height: 700 },
    act: (page) => page.getByRole("button", { name: "New model" }).click(),
  },
  engine: { schemes: both, act: (page) => page.getByRole("button", { name: /^Engine/ }).click() },
  refused: {
    hash: "#/models/postprocess/try",
    act: async (page) => {
      await page.getByRole("button", { name: "Load", exact: true }).click();
      await page.waitForTimeout(500);
    },
  },
  long: { hash: "#/models/wav2vec2_large_xlsr_53_german_streaming_chunked_encoder_quantised_int8/try" },
  readonly: { hash: "#/models/resnet50_trt/try", size: { width: 1000, height: 640 } },
  small: { hash: "#/models/digits/try", size: { width: 1000, height: 640 } },
  large: { hash: "#/models/digits/try", size: { width: 1600, height: 1000 } },
  gone: { hash: "#/models/nothing/try" },
  ...tryScreens,
  ...answerScreens,
  ...oddScreens,
  ...graphScreens,
};
