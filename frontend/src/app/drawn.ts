import { useEffect, useState } from "react";

let before = false;

/**
 * Whether what was asked for is drawn, and the rest may follow. It is false in the first frame of the first model alone:
 * the program is cold then, and a frame with everything takes a tenth of a second longer.
 */
export function useDrawn(): boolean {
  const [drawn, setDrawn] = useState(before);
  useEffect(() => {
    if (drawn) return;
    // A timer that a frame sets runs after that frame is painted.
    const frame = requestAnimationFrame(() => {
      setTimeout(() => {
        before = true;
        setDrawn(true);
      });
    });
    return () => cancelAnimationFrame(frame);
  }, [drawn]);
  return drawn;
}
