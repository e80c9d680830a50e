import { ModelState, type Version } from "../../api/conch_pb";
import { readyVersions } from "../../workspace/VersionMenu";

/** The versions of a model in a few letters for the list, and in words for the tooltip. Pure. */
export function versionTag(versions: readonly Version[]): { text: string; title: string } {
  const ready = readyVersions(versions).map(({ number }) => number);
  const newest = ready.at(-1) ?? versions.at(-1)?.number;
  if (newest === undefined) return { text: "", title: "" };
  if (ready.length === 0) return { text: `v${newest}`, title: `Version ${newest} is not loaded` };
  const failed = versions.findLast(({ state }) => state === ModelState.FAILED);
  const but = failed ? `; version ${failed.number} did not load` : "";
  if (ready.length === 1) return { text: `v${newest}`, title: `Version ${newest} serves${but}` };
  return { text: `v${newest} +${ready.length - 1}`, title: `Versions ${ready.join(", ")} serve${but}` };
}
