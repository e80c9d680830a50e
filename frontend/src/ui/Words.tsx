import { Unbroken } from "./Unbroken";

/** A command to type, between backticks. Anything else between backticks is part of somebody's names. */
const COMMAND = /`((?:conch|kill)(?: [^`]*)?)`/;

interface WordsProps {
  text: string;
  /** Whether no word is broken in two, however narrow the place is. */
  whole?: boolean;
}

/** A sentence whose commands are set as code, without the backticks around them. */
export function Words({ text, whole = false }: WordsProps) {
  return text.split(COMMAND).map((part, index) => {
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence have no other name
    if (index % 2 === 1) return <code key={index}>{part}</code>;
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence have no other name
    return whole ? <Unbroken key={index} text={part} /> : part;
  });
}
