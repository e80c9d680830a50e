import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { Words } from "./Words";

test("commands are shown as code, without backticks", () => {
  expect(renderToStaticMarkup(<Words text="Run `conch web` <again>, or `conch`." />)).toBe(
    "Run <code>conch web</code> &lt;again&gt;, or <code>conch</code>.",
  );
  const names = 'Models "a`b" and "c`d" use `x`.';
  expect(renderToStaticMarkup(<Words text={names} />)).toBe(names.replaceAll('"', "&quot;"));
  expect(renderToStaticMarkup(<Words text="A lone ` stays." />)).toBe("A lone ` stays.");
});

test("what would turn a sentence round is shown as it is written", () => {
  const shown = renderToStaticMarkup(<Words text={'Model "a\u202etxt" has an error'} />);
  expect(shown).toBe("Model &quot;a\\u202etxt&quot; has an error");
});
