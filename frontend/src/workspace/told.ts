/** Sentences about the model on the page that are somewhere on it, so that each is said once. */
import { useId, useLayoutEffect } from "react";
import { create } from "zustand";
import { core } from "./findings";
import { repeats } from "./repeats";

/** A list of what is wrong is the best place: it has the line and the way out. Next is the note above a request. */
type Where = "list" | "note";

type Told = { readonly where: Where; readonly sentences: readonly string[] };

const useTold = create<{ by: ReadonlyMap<string, Told> }>(() => ({ by: new Map() }));

function tell(id: string, told: Told | undefined): void {
  useTold.setState(({ by }) => {
    const next = new Map(by);
    if (told) next.set(id, told);
    else next.delete(id);
    return { by: next };
  });
}

/** These sentences are shown here as long as the part is on the page. */
export function useTelling(where: Where, sentences: readonly string[]): void {
  const id = useId();
  const all = sentences.join("\n");
  useLayoutEffect(() => {
    if (all === "") return;
    tell(id, { where, sentences: all.split("\n") });
    return () => tell(id, undefined);
  }, [id, where, all]);
}

/** Whether a sentence is on the page already, in a list or, if that counts, in the note above a request. */
export function useIsTold(
  sentence: string | undefined,
  counts: readonly Where[] = ["list", "note"],
): boolean {
  return useTold(({ by }) => {
    if (!sentence) return false;
    const wanted = core(sentence);
    return [...by.values()].some(
      ({ where, sentences }) => counts.includes(where) && sentences.some((told) => repeats(told, wanted)),
    );
  });
}
