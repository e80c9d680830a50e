import { ModelState, type Version } from "../../api/conch_pb";

/** The versions of a model in a few letters for the list, and in words for the tooltip. Pure. */
export function versionTag(versions: readonly Version[]): { text: string; title: string } {
  const ready = versions.filter(({ state }) => state === ModelState.READY).map(({ number }) => number);
  const newest = ready.at(-1) ?? versions.at(-1)?.number;
  if (newest === undefined) return { text: "", title: "" };
  if (ready.length === 0) return { text: `v${newest}`, title: `Version ${newest} is not loaded` };
  if (ready.length === 1) return { text: `v${newest}`, title: `Version ${newest} serves` };
  return { text: `v${newest} +${ready.length - 1}`, title: `Versions ${ready.join(", ")} serve` };
}
