/** Events of the workspace as marks on charts. */
import { type Notice, Notice_Level } from "../../api/conch_pb";
import type { Mark } from "./markGroups";
import { said } from "./told";

const colors: Record<Notice_Level, string> = {
  [Notice_Level.UNSPECIFIED]: "--accent",
  [Notice_Level.INFO]: "--accent",
  [Notice_Level.WARNING]: "--warn",
  [Notice_Level.ERROR]: "--err",
};

/** The token of a level's color. */
export const levelColor = (level: Notice_Level): string => colors[level] ?? "--accent";

export function marksOf(events: readonly Notice[]): Mark[] {
  return events.map((event) => ({
    time: Number(event.time) / 1000,
    weight: event.level,
    color: levelColor(event.level),
    text: event.text,
    says: `${event.model} ${said(event)}`,
  }));
}
