import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { wear } from "../testing/styles";
import { Chip } from "./Chip";
import css from "./Chip.module.css";
import { Named } from "./Named";
import named from "./Named.module.css";

test("a chip is one line high: no name in it begins a second one", () => {
  wear("ui/Chip.module.css", css);
  wear("ui/Named.module.css", named); // later on the page, so that the order does not decide
  document.body.innerHTML = renderToStaticMarkup(
    <Chip tone="err">
      <Named text={'Tensor "in" of the model file is [1, 3, 8, 8]'} names={['"in"']} />
    </Chip>,
  );
  const name = document.querySelector(`.${named.name}`) ?? expect.fail("no name is shown");
  expect(name.textContent).toBe('"in"');
  expect(getComputedStyle(name).whiteSpace).toBe("pre");
  document.head.replaceChildren();
});
