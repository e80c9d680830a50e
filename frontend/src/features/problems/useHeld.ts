/** Keeps the list still while a pointer, or the focus, that has just repaired something is on it. */
import { useMemo, useRef, useState } from "react";
import type { Diagnostic, FileProblems, Fix } from "../../api/conch_pb";
import { repair } from "../../workspace/repair";

export const keyOf = (file: FileProblems, { code, message }: Diagnostic): string =>
  `${file.model}/${file.path} ${code} ${message}`;

const keysOf = (files: readonly FileProblems[]): Set<string> =>
  new Set(files.flatMap((file) => file.diagnostics.map((found) => keyOf(file, found))));

/** The problems of files that are not among some. */
const without = (files: readonly FileProblems[], known: ReadonlySet<string>): FileProblems[] =>
  files
    .map((file) => ({
      ...file,
      diagnostics: file.diagnostics.filter((found) => !known.has(keyOf(file, found))),
    }))
    .filter(({ diagnostics }) => diagnostics.length > 0);

export interface Held {
  /** What is listed: the problems as they are, or as they were when the first was repaired. */
  readonly files: readonly FileProblems[];
  /** The problems that came since, and that are not listed. */
  readonly waiting: readonly FileProblems[];
  isOver(file: FileProblems, found: Diagnostic): boolean;
  undoOf(file: FileProblems, found: Diagnostic): (() => void) | undefined;
  fix(file: FileProblems, found: Diagnostic, fix: Fix): Promise<void>;
  /** The list may change again: it shows what there is now. */
  release(): void;
  /** For what holds the rows, and is no larger. */
  readonly on: {
    onPointerEnter(): void;
    onPointerLeave(): void;
    onBlur(event: { currentTarget: Node; relatedTarget: EventTarget | null }): void;
  };
}

export function useHeld(live: readonly FileProblems[]): Held {
  const [held, setHeld] = useState<readonly FileProblems[]>();
  const [undo, setUndo] = useState<ReadonlyMap<string, () => void>>(new Map());
  const pointed = useRef(false);
  return useMemo(() => {
    const there = keysOf(live);
    const release = () => setHeld(undefined);
    return {
      files: held ?? live,
      waiting: held ? without(live, keysOf(held)) : [],
      isOver: (file, found) => held !== undefined && !there.has(keyOf(file, found)),
      undoOf: (file, found) => undo.get(keyOf(file, found)),
      fix: async (file, found, fix) => {
        setHeld((old) => old ?? live);
        const back = await repair(file, found, fix);
        if (back) setUndo((old) => new Map(old).set(keyOf(file, found), back));
      },
      release,
      on: {
        onPointerEnter: () => {
          pointed.current = true;
        },
        onPointerLeave: () => {
          pointed.current = false;
          release();
        },
        // To nowhere it goes when the button of a fix is gone, and comes back with Tab.
        onBlur: ({ currentTarget, relatedTarget }) => {
          if (relatedTarget instanceof Node && !currentTarget.contains(relatedTarget) && !pointed.current)
            release();
        },
      },
    };
  }, [live, held, undo]);
}
