import { expect, test } from "vitest";
import { deviceCount, devicesText } from "./gpuText";

test.each([
  ["", ""],
  ["CPU", "CPU"],
  ["CPU, GPU 0, GPU 3", "CPU, GPU 0, GPU 3"],
  ["GPU 0, GPU 1, GPU 2", "3 GPUs"],
  ["CPU, GPU 0, GPU 1, GPU 2, GPU 3, GPU 4, GPU 5, GPU 6, GPU 7", "CPU, 8 GPUs"],
])("the devices %j are told as %j", (list, text) => {
  expect(devicesText(list)).toBe(text);
});

test.each([
  ["", ""],
  ["GPU 0", "GPU 0"],
  ["GPU 0, GPU 1", "2 GPUs"],
  ["CPU, GPU 0, WebGPU", "3 devices"],
])("the devices %j are counted as %j", (list, text) => {
  expect(deviceCount(list)).toBe(text);
});
