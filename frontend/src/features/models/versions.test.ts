import { create } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { ModelState, VersionSchema } from "../../api/conch_pb";
import { versionTag } from "./versions";

const version = (number: bigint, state: ModelState) => create(VersionSchema, { number, state });
const { READY, FAILED, UNLOADED } = ModelState;

it.each([
  ["none", [], ""],
  ["one that serves", [version(1n, READY)], "v1"],
  ["an older one that serves", [version(1n, READY), version(2n, FAILED)], "v1"],
  ["several", [version(1n, READY), version(2n, UNLOADED), version(7n, READY)], "v7 +1"],
  ["one that does not serve", [version(3n, FAILED)], "v3"],
])("tags %s", (_, versions, text) => expect(versionTag(versions).text).toBe(text));
