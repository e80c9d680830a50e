/** A command to type, between backticks. Anything else between backticks is part of somebody's names. */
const COMMAND = /`((?:conch|kill)(?: [^`]*)?)`/;

/** A sentence whose commands are set as code, without the backticks around them. */
export function Words({ text }: { text: string }) {
  return text.split(COMMAND).map((part, index) => {
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence have no other name
    return index % 2 === 1 ? <code key={index}>{part}</code> : part;
  });
}
