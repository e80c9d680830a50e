import { useEffect, useState } from "react";

interface Follows {
  /** How long after the painted frame the rest may follow: who clicks in the next frame is not kept waiting by it. */
  afterMs?: number;
  /** How long what is not ready is waited for, such as a text on a disk that hangs. */
  atMostMs?: number;
}

/**
 * A hook that tells whether what was asked for is drawn, and the rest may follow. It is false the first time alone: the
 * program is cold then, and a frame with everything takes a tenth of a second longer. While ready is false, what was asked
 * for is not there yet.
 */
export function firstDrawn({ afterMs = 0, atMostMs = 1000 }: Follows = {}): (ready?: boolean) => boolean {
  let before = false;
  return (ready = true) => {
    const [drawn, setDrawn] = useState(before);
    useEffect(() => {
      if (drawn) return;
      if (!ready) {
        const late = setTimeout(() => setDrawn(true), atMostMs);
        return () => clearTimeout(late);
      }
      let timer: ReturnType<typeof setTimeout> | undefined;
      // A timer that a frame sets runs after that frame is painted.
      const frame = requestAnimationFrame(() => {
        timer = setTimeout(() => {
          before = true;
          setDrawn(true);
        }, afterMs);
      });
      return () => {
        cancelAnimationFrame(frame);
        clearTimeout(timer);
      };
    }, [drawn, ready]);
    return drawn;
  };
}
