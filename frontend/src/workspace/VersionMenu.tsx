import type { ReactElement } from "react";
import { ModelState, type Version } from "../api/conch_pb";
import { Menu, type MenuItem } from "../ui/Menu";
import { stateWord } from "./StateIcon";

/** The versions that answer requests, ascending. */
export const readyVersions = (versions: readonly Version[]): Version[] =>
  versions.filter(({ state }) => state === ModelState.READY);

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
    ({ number, state, reason }): MenuItem => ({
      label: `Version ${number}`,
      note: reason ? `${stateWord[state]}: ${reason}` : stateWord[state],
      checked: chosen === number,
      disabled: state !== ModelState.READY,
      onSelect: () => onChoose(number),
    }),
  );
  return (
    <Menu heading="Requests go to" trigger={trigger} groups={[[newestItem(props)], each.toReversed()]} />
  );
}
