import { expect, it } from "vitest";
import { sentence } from "./sentence";

it.each([
  ["a config has no field", "A config has no field"],
  ['input "LEFT" is FP32 here', 'Input "LEFT" is FP32 here'],
  ["change dims to [ 64 ]", "Change dims to [ 64 ]"],
  ["nothing", "Nothing"],
  ["max_batch_size is 8", "max_batch_size is 8"],
  ["dims of one dimension", "dims of one dimension"],
  ["add_sub did not load", "add_sub did not load"],
  ["digits2: no such model", "digits2: no such model"],
  ["config.pbtxt changed", "config.pbtxt changed"],
  ['"x" is no type', '"x" is no type'],
  ["'x' is no type", "'x' is no type"],
  ["INT32 is not a data type", "INT32 is not a data type"],
  ["digits is unloaded", "digits is unloaded"],
  ["digits: no reload", "digits: no reload"],
  ["", ""],
])("%j is shown as %j", (text, shown) => expect(sentence(text, new Set(["digits"]))).toBe(shown));
