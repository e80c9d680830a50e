/** Browsers finish at most 64 KB of requests, together, for a page that is gone; heads count little. */
const MOST = 60_000;

let leaving = false;
let sent = 0;

// While it captures, it comes before whatever sends something.
window.addEventListener(
  "pagehide",
  () => {
    leaving = true;
    sent = 0;
  },
  { capture: true },
);
window.addEventListener("pageshow", () => {
  leaving = false; // it was kept, and is shown again
});

/** Calls `leave` when the page goes away or is not seen any more, after which it may end. The returned function ends that. */
export function onLeave(leave: () => void): () => void {
  const hidden = () => {
    if (document.hidden) leave();
  };
  window.addEventListener("pagehide", leave);
  document.addEventListener("visibilitychange", hidden);
  return () => {
    window.removeEventListener("pagehide", leave);
    document.removeEventListener("visibilitychange", hidden);
  };
}

/** Whether a request of this size outlives the page, which is going away; other requests end with it. */
export function outlives(bytes: number): boolean {
  if (!leaving || sent + bytes > MOST) return false;
  sent += bytes;
  return true;
}
