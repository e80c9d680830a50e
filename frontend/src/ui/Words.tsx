import { Fragment } from "react";
import { visibleName, visibleText } from "../lib/visible";
import { parts } from "./Named";
import named from "./Named.module.css";
import { Unbroken } from "./Unbroken";

/** A command to type, between backticks. Anything else between backticks is part of somebody's names. */
const COMMAND = /`((?:conch|kill)(?: [^`]*)?)`/;

interface WordsProps {
  text: string;
  /** Whether no word is broken in two, however narrow the place is. */
  whole?: boolean;
  /** The identifiers in it, each whole. */
  names?: readonly string[];
}

/** A sentence whose commands are set as code, without the backticks around them, and its identifiers in the mono face. */
export function Words({ text, whole = false, names = [] }: WordsProps) {
  return text.split(COMMAND).map((part, index) => {
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence have no other name
    if (index % 2 === 1) return <code key={index}>{part}</code>;
    return parts(part, names).map(({ part: piece, isName }, at) => {
      const shown = isName ? visibleName(piece) : visibleText(piece);
      const words = whole ? <Unbroken text={shown} /> : shown;
      const key = `${index} ${at}`;
      if (!isName) return <Fragment key={key}>{words}</Fragment>;
      return (
        <span key={key} className={named.name}>
          {words}
        </span>
      );
    });
  });
}
