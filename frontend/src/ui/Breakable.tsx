import { Fragment } from "react";

/** An identifier that may go on in the next line after a sign such as _ or /, and elsewhere only when it must. */
export function Breakable({ text }: { text: string }) {
  return text.split(/(?<=[_/.,:-])(?=\w)/).map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other name
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}
