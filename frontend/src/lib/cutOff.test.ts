import { expect, it } from "vitest";
import { isCutOff } from "./cutOff";

/** Pictures of 4 × 3, as files have them. */
const files = {
  png: [
    "iVBORw0KGgoAAAANSUhEUgAAAAQAAAADEAIAAABrBuXSAAAAHElEQVQI12P8/58BK2BsYGBgaMAmwcDAwIBNFwDpJwUAM9Kv",
    "JAAAAABJRU5ErkJggg==",
  ].join(""),
  jpg: [
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAMCAgICAgMCAgIDAwMDBAYEBAQEBAgGBgUGCQgKCgkICQkKDA8MCgsOCwkJDREN",
    "Dg8QEBEQCgwSExIQEw8QEBD/2wBDAQMDAwQDBAgEBAgQCwkLEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQ",
    "EBAQEBAQEBAQEBAQEBD/wAARCAADAAQDAREAAhEBAxEB/8QAFAABAAAAAAAAAAAAAAAAAAAACP/EABoQAAAHAAAAAAAAAAAA",
    "AAAAAAABBAYWVZH/xAAVAQEBAAAAAAAAAAAAAAAAAAAFCP/EABwRAAAHAQEAAAAAAAAAAAAAAAABAxdVkdEGB//aAAwDAQAC",
    "EQMRAD8AB8vctwo0hfzH+eRKVHoSeLu5NWywf//Z",
  ].join(""),
  webp: [
    "UklGRlYAAABXRUJQVlA4IEoAAABwAwCdASoEAAMAAgA0JagCdGuA/gGEAfwD2/7sA/QAGBrNsAAA/vsA2dMn/3OscC0P//c6",
    "xwLQ//+QH/8gNHHXNGNqMnfyeJAAAA==",
  ].join(""),
};

const bytesOf = (base64: string) => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));

it.each(Object.entries(files))("%s is cut off at every place before its end", (_kind, base64) => {
  const whole = bytesOf(base64);
  expect(isCutOff(whole)).toBe(false);
  expect(isCutOff(Uint8Array.from([...whole, 0, 1, 2]))).toBe(false); // what lies behind the end is nobody's
  for (let length = 12; length < whole.length - 12; length++)
    expect(isCutOff(whole.subarray(0, length)), `${length} of ${whole.length} bytes`).toBe(true);
});

it("leaves other files to who decodes them", () => {
  for (const text of ["", "BM", "GIF89a", "no picture at all"])
    expect(isCutOff(new TextEncoder().encode(text))).toBe(false);
});
