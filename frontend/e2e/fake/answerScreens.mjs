// Answers that are hard to show, with the scene "answers": node e2e/fake/serve.mjs PORT answers
const both = ["light", "dark"];
const narrow = { width: 1024, height: 700 };
const wide = { width: 1920, height: 1080 };

const send = async (page) => {
  await page.getByRole("button", { name: /^Send/ }).click();
  await page.waitForTimeout(900);
};

const goTo = (index) => async (page) => {
  await send(page);
  const field = page.getByLabel("Slice or index").first();
  await field.fill(index);
  await field.press("Enter");
  await page.waitForTimeout(400);
};

const stopAfter = (ms) => async (page) => {
  await send(page);
  await page.waitForTimeout(ms);
  await page.getByRole("button", { name: /^Stop/ }).click();
  await page.waitForTimeout(300);
};

const screen = (model, more = {}) => ({ hash: `#/models/${model}/try`, schemes: both, act: send, ...more });

export const answerScreens = {
  answerNaN: screen("not_a_number"),
  answerVector: screen("vector_of_16"),
  answerMillions: screen("ten_million", { act: goTo("[0, 9999999]") }),
  answerMillionsNarrow: screen("ten_million", { size: narrow }),
  answerMillionsWide: screen("ten_million", { size: wide, act: goTo("[0, 123456]") }),
  answerBytes: screen("bytes"),
  answerEmpty: screen("empty"),
  answerLabels: screen("long_labels"),
  answerStream: screen("stream_of_1000"),
  answerRefused: screen("refuses"),
  answerRunning: screen("slow"),
  answerStopped: screen("slow", { act: stopAfter(1500) }),
  answerBelow14Inputs: screen("many_inputs", { size: narrow }),
};
