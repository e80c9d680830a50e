import type { ReactElement } from "react";
import { ModelState, type Version } from "../api/conch_pb";
import { Menu, type MenuItem } from "../ui/Menu";
import { stateWord } from "./StateIcon";

/** One that serves still does so while newer files of its model did not load. */
const answers = ({ state }: Version) => state === ModelState.READY || state === ModelState.OLDER_SERVES;

/** The versions that answer requests, ascending. */
export const readyVersions = (versions: readonly Version[]): Version[] => versions.filter(answers);

/** What a version does, in the words of one version: the state of the same name tells about a whole model. */
function noteOf({ state, reason }: Version): string {
  if (state === ModelState.OLDER_SERVES) return "Ready, as it was loaded before";
  return reason ? `${stateWord[state]}: ${reason}` : stateWord[state];
}

export interface VersionMenuProps {
  trigger: ReactElement;
  versions: readonly Version[];
  /** 0: the newest that is ready. */
  chosen: bigint;
  onChoose: (version: bigint) => void;
}

function newestItem({ versions, chosen, onChoose }: VersionMenuProps): MenuItem {
  const newest = readyVersions(versions).at(-1);
  return {
    label: "The newest",
    note: newest ? `Now version ${newest.number}` : "None is ready now",
    checked: chosen === 0n,
    onSelect: () => onChoose(0n),
  };
}

/** Which version of a model requests go to; one that is not ready says why. */
export function VersionMenu(props: VersionMenuProps) {
  const { trigger, versions, chosen, onChoose } = props;
  const each = versions.map(
    (version): MenuItem => ({
      label: `Version ${version.number}`,
      note: noteOf(version),
      checked: chosen === version.number,
      disabled: !answers(version),
      onSelect: () => onChoose(version.number),
    }),
  );
  return (
    <Menu heading="Requests go to" trigger={trigger} groups={[[newestItem(props)], each.toReversed()]} />
  );
}
