import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { Named } from "./Named";

const marked = (text: string, ...names: string[]) =>
  renderToStaticMarkup(<Named text={text} names={names} />)
    .replace(/<span class="[^"]*name[^"]*">(.*?)<\/span>/g, "[$1]")
    .replace(/<\/?span[^>]*>/g, "");

test("identifiers in a sentence are set in the mono face", () => {
  expect(marked("Reload yolov8x640", "yolov8x640")).toBe("Reload [yolov8x640]");
  expect(marked("Rename tensor 'a' of read_digit", "'a'", "read_digit")).toBe(
    "Rename tensor [&#x27;a&#x27;] of [read_digit]",
  );
  expect(marked("x: config", "")).toBe("x: config");
  expect(marked("Input has no a_b, but a", "a")).toBe("Input has no a_b, but [a]");
  expect(marked("<b>: log", "<b>")).toBe("[&lt;b&gt;]: log");
});
