/** A name in the graph. From far it is larger, so that it can still be read. */
import { createContext, useContext } from "react";
import css from "./graph.module.css";
import { farName, nearName } from "./sizes";

/** How much larger names are drawn (growth in viewport.ts). */
export const Grows = createContext(1);

type Props = {
  readonly text: string;
  readonly title?: string;
  /** Whether nothing of it is left out where it is near. */
  readonly whole?: boolean;
  /** The room for it from far, and the size of its letters, at the zoom 1. */
  readonly width: number;
  readonly lines?: number;
  readonly size: number;
};

export function Name({ text, title, whole = false, width, lines, size }: Props) {
  const grows = useContext(Grows);
  const far = grows > 1 ? farName(text, { width, lines, most: size * grows }) : undefined;
  return (
    <strong title={title} className={css.name} style={far && { fontSize: far.size }}>
      {far?.text ?? (whole ? text : nearName(text))}
    </strong>
  );
}
