/** A sentence whose parts between backticks are things to type: they are set as code, without the backticks. */
export function Words({ text }: { text: string }) {
  return text.split(/`([^`]+)`/).map((part, index) => {
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence have no other name
    return index % 2 === 1 ? <code key={index}>{part}</code> : part;
  });
}
