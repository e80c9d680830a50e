/** What the list of builds is made of. */
import type { Runtime, RuntimeOffer } from "../../api/conch_pb";

/** The builds that are not installed yet: one is named after its offer and version. */
export const notHere = (offered: readonly RuntimeOffer[], here: readonly Runtime[]): RuntimeOffer[] =>
  offered.filter(
    ({ name, version }) =>
      !here.some((of) => of.installed && of.error === "" && of.name === `${name}-${version}`),
  );

/** What an advice says, and the part of it that a shell takes; "" for none. */
export function adviceParts(line: string): [before: string, command: string] {
  const at = line.search(/pip install |LD_LIBRARY_PATH=/);
  return at < 0 ? [line, ""] : [line.slice(0, at).trimEnd(), line.slice(at)];
}
