/** Events of the workspace as marks on charts. */
import { type Notice, Notice_Level } from "../../api/conch_pb";
import { clock } from "../../lib/format";
import type { Mark } from "./marks";

const colors: Record<Notice_Level, string> = {
  [Notice_Level.UNSPECIFIED]: "--accent",
  [Notice_Level.INFO]: "--accent",
  [Notice_Level.WARNING]: "--warn",
  [Notice_Level.ERROR]: "--err",
};

/** The token of a level's colour. */
export const levelColor = (level: Notice_Level): string => colors[level] ?? "--accent";

export function marksOf(events: readonly Notice[]): Mark[] {
  return events.map((event) => ({
    time: Number(event.time) / 1000,
    color: levelColor(event.level),
    text: `${clock(event.time)} ${event.text}`,
  }));
}
