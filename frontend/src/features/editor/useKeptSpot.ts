import { type RefObject, useEffect } from "react";
import { useStore } from "zustand";
import { keepSpot, spotOf } from "../../window/kept";
import { usePlace } from "../../window/place";
import { spotNow } from "../../window/trail";
import type { Session } from "./session";

/** Sessions that were taken to where one was, or had no such place. */
const begun = new WeakSet<Session>();

const MOVES = ["scroll", "keyup", "pointerup"] as const;

/** Opens a file at the place where the user was in it, and remembers the place. A place that is asked for comes first. */
export function useKeptSpot(session: Session, host: RefObject<HTMLElement | null>): void {
  const ready = useStore(session.store, (state) => state.status === "ready");
  useEffect(() => {
    if (!ready || begun.has(session)) return;
    begun.add(session);
    const { reveal, restore } = usePlace.getState();
    const { model, path } = session.file;
    const spot = spotOf(model, path);
    if (spot && !reveal && !restore) session.restore(spot, "quietly");
  }, [session, ready]);
  useEffect(() => {
    const element = host.current;
    const note = () => {
      const spot = begun.has(session) ? spotNow() : undefined;
      if (spot?.path === session.file.path) keepSpot(session.file.model, spot);
    };
    for (const move of MOVES) element?.addEventListener(move, note, { capture: true, passive: true });
    return () => {
      for (const move of MOVES) element?.removeEventListener(move, note, { capture: true });
    };
  }, [session, host]);
}
