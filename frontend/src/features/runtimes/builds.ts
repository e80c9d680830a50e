/** What the list of builds is made of. */
import type { Runtime, RuntimeOffer } from "../../api/conch_pb";

/** The name of the one that comes with Conch. */
const bundled = "bundled";

/** Those that a person can choose: not the one that a variable names. */
export const choosable = ({ installed, name }: Runtime): boolean => installed || name === bundled;

/**
 * How a build is used. open is the file that the engine has opened, "" before a model needed one: it keeps that, also when another build
 * is chosen in a terminal or in another window.
 */
export function usage({ used, library }: Runtime, open: string): "" | "now" | "next" | "still" {
  if (open === "" || used === (library === open)) return used ? "now" : "";
  return used ? "next" : "still";
}

/** The builds that are not installed yet: one is named after its offer and version. */
export const notHere = (offered: readonly RuntimeOffer[], here: readonly Runtime[]): RuntimeOffer[] =>
  offered.filter(
    ({ name, version }) =>
      !here.some((of) => of.installed && of.error === "" && of.name === `${name}-${version}`),
  );

/** Which one engines use when a build that they do not use now is removed. told is the variable that names their library. */
export function usedThen(of: Runtime, here: readonly Runtime[], told: string | undefined): string {
  const used = here.find((one) => one.used);
  if (of.chosen && told) return `It is the chosen one: without ${told}, engines use ${bundled} then.`;
  if (of.chosen) return `It is the chosen one: engines use ${bundled} then.`;
  return used ? `Engines go on with ${told ? `that of ${told}` : used.name}.` : "No engine uses it.";
}

/** What an advice says, and the part of it that a shell takes; "" for none. */
export function adviceParts(line: string): [before: string, command: string] {
  const at = line.search(/pip install |LD_LIBRARY_PATH=/);
  return at < 0 ? [line, ""] : [line.slice(0, at).trimEnd(), line.slice(at)];
}
