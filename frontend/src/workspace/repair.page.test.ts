import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { TextEditSchema } from "../api/conch_pb";
import { edited } from "./repair";

const edit = (from: number, to: number, insert: string) => create(TextEditSchema, { from, to, insert });

test("edits are made at their places in the old text", () => {
  expect(edited("🐚 a b c", [edit(3, 4, "first"), edit(7, 8, ""), edit(5, 5, "new ")])).toBe(
    "🐚 first new b ",
  );
});

test("no edits change nothing", () => expect(edited("a\r\nb", [])).toBe("a\r\nb"));
