import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { Words } from "./Words";

test("what is to be typed is set as code, without backticks", () => {
  expect(renderToStaticMarkup(<Words text="Run `conch web` <again>, or `x`." />)).toBe(
    "Run <code>conch web</code> &lt;again&gt;, or <code>x</code>.",
  );
  expect(renderToStaticMarkup(<Words text="A lone ` stays." />)).toBe("A lone ` stays.");
});
