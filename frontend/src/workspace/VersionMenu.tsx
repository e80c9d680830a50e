import type { ReactElement } from "react";
import { ModelState, type Version } from "../api/conch_pb";
import { Menu, type MenuItem } from "../ui/Menu";
import { stateWord } from "./StateIcon";
import { asSentence } from "./workspace";

/** One that serves still does so while newer files of its model did not load. */
const answers = ({ state }: Version) => state === ModelState.READY || state === ModelState.OLDER_SERVES;

/** The versions that answer requests, ascending. */
export const readyVersions = (versions: readonly Version[]): Version[] => versions.filter(answers);

/** Triton's reason for a version that was unloaded on purpose. */
const onPurpose = "unloaded";

/** The versions that rest for a reason beside those that answer: the policy leaves them out. */
export const unserved = (versions: readonly Version[]): Version[] =>
  versions.filter(
    ({ state, reason }) => state === ModelState.UNLOADED && reason !== "" && reason !== onPurpose,
  );

/** What a version does, in the words of one version: the state of the same name tells about a whole model. */
function noteOf(version: Version): string {
  const { state, reason } = version;
  if (state === ModelState.OLDER_SERVES) return "Ready, as it was loaded before";
  if (unserved([version]).length > 0) return asSentence(reason);
  return reason && state !== ModelState.UNLOADED ? `${stateWord[state]}: ${reason}` : stateWord[state];
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
