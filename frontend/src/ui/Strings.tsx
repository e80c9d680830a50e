/** Letters that are read from the right. */
const FROM_THE_RIGHT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

const STRING = /("(?:[^"\\]|\\.)*")/;

/** Values, their strings in quotes. A string that is read from the right stays in its place and between its quotes. */
export function Strings({ text }: { readonly text: string }) {
  if (!FROM_THE_RIGHT.test(text)) return text;
  return text.split(STRING).map((part, index) =>
    index % 2 === 1 && FROM_THE_RIGHT.test(part) ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other name
      <bdi key={index} dir="ltr">
        {part}
      </bdi>
    ) : (
      part
    ),
  );
}
