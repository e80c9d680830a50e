import { expect, it } from "vitest";
import { plain, wordsOf } from "./words";

it.each([
  ["model serves took=4.2648316e+07 version=1", "model serves · 42.6 ms · version 1"],
  ["model serves took=124325 version=2", "model serves · 124 µs · version 2"],
  [
    "model serves took=124325 version=2 waited_for_others=4.135839643e+09",
    "model serves · 124 µs · version 2 · waited 4.14 s for others",
  ],
  [
    "failed to load model 'a' reason=in ensemble a, tensor x is bad still_serving=false",
    "failed to load model 'a': in ensemble a, tensor x is bad",
  ],
  [
    "failed to load model 'a' reason=no file still_serving=true",
    "failed to load model 'a': no file · what was loaded before keeps serving",
  ],
  ["freeing a model error=busy version=3", "freeing a model: busy · version 3"],
  ["Started HTTPService at 127.0.0.1:8000", "Started HTTPService at 127.0.0.1:8000"],
  ["the backend panicked fault=nil map instance=a_0", "the backend panicked · fault=nil map · instance=a_0"],
  ["", ""],
])("%j reads %j", (text, words) => expect(plain(text)).toBe(words));

it("takes no part of a model's name for a fact", () =>
  expect(
    wordsOf("loading: <img src=x onerror=alert(1)>:1 took=38ms", "<img src=x onerror=alert(1)>"),
  ).toEqual({
    message: "loading: <img src=x onerror=alert(1)>:1",
    facts: ["38ms"],
  }));

it("leaves a duration alone that is already one", () =>
  expect(wordsOf("model serves took=38ms").facts).toEqual(["38ms"]));
