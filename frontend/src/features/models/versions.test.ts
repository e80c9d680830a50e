import { create } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { ModelState, VersionSchema } from "../../api/conch_pb";
import { versionTag } from "./versions";

const version = (number: bigint, state: ModelState) => create(VersionSchema, { number, state });
const { READY, FAILED, UNLOADED, OLDER_SERVES } = ModelState;

it.each([
  ["none", [], ""],
  ["one that serves", [version(1n, READY)], "v1"],
  ["an older one that serves", [version(1n, READY), version(2n, FAILED)], "v1"],
  ["one that serves while another did not load", [version(1n, OLDER_SERVES), version(4n, FAILED)], "v1"],
  ["several", [version(1n, READY), version(2n, UNLOADED), version(7n, READY)], "v7 +1"],
  ["one that does not serve", [version(3n, FAILED)], "v3"],
])("tags %s", (_, versions, text) => expect(versionTag(versions).text).toBe(text));

it("says which one did not load", () =>
  expect(versionTag([version(1n, OLDER_SERVES), version(4n, FAILED)]).title).toBe(
    "Version 1 serves; version 4 did not load",
  ));
