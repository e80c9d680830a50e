// What is worth looking at, by name.
const both = ["light", "dark"];

export const screens = {
  overview: { schemes: both },
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
  palette: { schemes: both, act: (page) => page.keyboard.press("Control+k") },
  files: { hash: "#/models/digits/files" },
  log: { hash: "#/log", schemes: both },
  problems: { hash: "#/problems" },
  requests: { hash: "#/requests" },
  metrics: { hash: "#/models/digits/metrics" },
  newModel: { act: (page) => page.getByRole("button", { name: "New model" }).click() },
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
};
