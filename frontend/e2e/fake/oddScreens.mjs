// Odd names on every screen, with the scene "odd": node e2e/fake/serve.mjs PORT odd
const both = ["light", "dark"];
const sizes = {
  "": { width: 1280, height: 800 },
  Wide: { width: 1920, height: 1080 },
  Narrow: { width: 1024, height: 700 },
};

const evil = encodeURIComponent("<img src=x onerror=alert(1)>");
const spaces = encodeURIComponent("a model with spaces");
const ensemble = encodeURIComponent("读取 digits & <b>more</b>");
const long = encodeURIComponent(
  `${"a_model_whose_name_says_all_that_is_known_of_it_".repeat(3).slice(0, 117)}end`,
);

const send = async (page) => {
  await page.getByRole("radio", { name: "Random" }).first().click();
  await page.keyboard.press("Control+Enter");
  await page.getByRole("button", { name: "Use empty page" }).click();
  await page.keyboard.press("Control+Enter");
  await page.waitForTimeout(900);
};

const compare = async (page) => {
  await page.getByRole("radio", { name: "Compare" }).click();
  await page.waitForTimeout(500);
};

const rename = async (page) => {
  await page.locator(".cm-line", { hasText: "输入图像" }).click();
  await page.keyboard.press("Control+End");
  await page.getByText('"输入图像"').first().click();
  await page.keyboard.press("F2");
  await page.waitForTimeout(500);
};

const screens = {
  oddOverview: {},
  oddModel: { hash: `#/models/${spaces}/try` },
  oddAnswer: { hash: `#/models/${evil}/try`, act: send },
  oddEnsemble: { hash: `#/models/${ensemble}/try` },
  oddLong: { hash: `#/models/${long}/try` },
  oddCompare: { hash: `#/models/${long}/config`, act: compare },
  oddRename: { hash: `#/models/${spaces}/config`, act: rename },
  oddMetrics: { hash: `#/models/${long}/metrics`, wait: 2000 },
  oddFiles: { hash: `#/models/${evil}/files` },
  oddLog: { hash: "#/log" },
  oddProblems: { hash: "#/problems" },
  oddRequests: { hash: "#/requests" },
  oddPalette: { act: (page) => page.keyboard.press("Control+k") },
};

export const oddScreens = Object.fromEntries(
  Object.entries(screens).flatMap(([name, screen]) =>
    Object.entries(sizes).map(([which, size]) => [`${name}${which}`, { schemes: both, ...screen, size }]),
  ),
);
