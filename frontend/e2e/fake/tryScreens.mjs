// The inputs of the try pane, with the scene "inputs": node e2e/fake/serve.mjs PORT inputs
const both = ["light", "dark"];
const model = (name) => `#/models/${encodeURIComponent(name)}/try`;
const narrow = { width: 1024, height: 700 };
const wide = { width: 1920, height: 1080 };

/** A picture that is three times as wide as it is high. */
const picture = (page) =>
  page.evaluate(async () => {
    const canvas = Object.assign(document.createElement("canvas"), { width: 300, height: 100 });
    const context = canvas.getContext("2d");
    context.fillStyle = "darkorange";
    context.fillRect(0, 0, 300, 100);
    context.fillStyle = "navy";
    context.fillRect(100, 10, 100, 80);
    return canvas.toDataURL("image/png").split(",")[1];
  });

const choose = async (page, count) => {
  const buffer = Buffer.from(await picture(page), "base64");
  const files = Array.from({ length: count }, (_, i) => ({
    name: `photo_${i + 1}.png`,
    mimeType: "image/png",
    buffer,
  }));
  await page.locator("input[type=file]").setInputFiles(files);
  await page.waitForTimeout(900);
};

const picturesOfYolo = (count) => async (page) => {
  await page.getByRole("radio", { name: "File" }).click();
  await choose(page, count);
};

const wrongValues = async (page) => {
  await page.getByLabel("Batch size").fill("2");
  await page.getByLabel("Values of temperature").fill("0.7");
  await page.getByLabel("Values of top_p").fill("0.9");
  await page.getByLabel("Values of text_input").fill('["a", "b"]');
  await page.getByLabel("Values of repetition_penalty").fill("70000");
};

export const tryScreens = {
  tryMany: { hash: model("text_generation"), schemes: both },
  tryManyNarrow: { hash: model("text_generation"), schemes: both, size: narrow, act: wrongValues },
  tryManyWide: { hash: model("text_generation"), size: wide },
  tryStrange: { hash: model("strange"), schemes: both },
  tryEvil: { hash: model("<img src=x onerror=alert(1)>") },
  tryDimensions: {
    hash: model("tokens"),
    act: async (page) => {
      await page.getByLabel("Dimension 2 of input_ids").fill("abc");
      await page.getByLabel("Dimension 1 of attention_mask").fill("-5");
    },
  },
  tryFile: {
    hash: model("jpeg_classifier"),
    schemes: both,
    act: async (page) => {
      await page.getByLabel("How to give encoded_image").click();
      await page.getByRole("menuitemcheckbox", { name: "File" }).click();
      await choose(page, 3);
    },
  },
  tryPicture: {
    hash: model("yolov8x640"),
    schemes: both,
    act: async (page) => {
      await picturesOfYolo(1)(page);
      await page.getByRole("button", { name: "Change conversion" }).click();
    },
  },
  tryShort: {
    hash: model("yolov8x640"),
    act: async (page) => {
      await page.getByLabel("Batch size").fill("2");
      await picturesOfYolo(1)(page);
    },
  },
  tryPictures: { hash: model("yolov8x640"), size: wide, act: picturesOfYolo(3) },
};
