/** Keeps the list still while a pointer that has just repaired something is over it. */
import { useMemo, useState } from "react";
import type { Diagnostic, FileProblems, Fix } from "../../api/conch_pb";
import { repair } from "../../workspace/repair";

export const keyOf = (file: FileProblems, { code, message }: Diagnostic): string =>
  `${file.model}/${file.path} ${code} ${message}`;

export interface Held {
  /** What is listed: the problems as they are, or as they were when the first was repaired. */
  readonly files: readonly FileProblems[];
  isOver(file: FileProblems, found: Diagnostic): boolean;
  undoOf(file: FileProblems, found: Diagnostic): (() => void) | undefined;
  fix(file: FileProblems, found: Diagnostic, fix: Fix): Promise<void>;
  /** The pointer, or the focus, has left the list: it may change again. */
  release(): void;
}

export function useHeld(live: readonly FileProblems[]): Held {
  const [held, setHeld] = useState<readonly FileProblems[]>();
  const [undo, setUndo] = useState<ReadonlyMap<string, () => void>>(new Map());
  return useMemo(() => {
    const there = new Set(live.flatMap((file) => file.diagnostics.map((found) => keyOf(file, found))));
    return {
      files: held ?? live,
      isOver: (file, found) => held !== undefined && !there.has(keyOf(file, found)),
      undoOf: (file, found) => undo.get(keyOf(file, found)),
      fix: async (file, found, fix) => {
        setHeld((old) => old ?? live);
        const back = await repair(file, found, fix);
        if (back) setUndo((old) => new Map(old).set(keyOf(file, found), back));
      },
      release: () => setHeld(undefined),
    };
  }, [live, held, undo]);
}
