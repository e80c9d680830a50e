import { clients } from "../api/client";
import { queryClient } from "../api/queries";
import { useWorkspace } from "../workspace/workspace";

/** How long nothing may have been pressed or opened until the first view counts as drawn. */
const QUIET_MS = 300;
/** For a person who goes on and on it is told anyway. */
const AT_MOST_MS = 2_000;
const MOVES = ["pointerdown", "keydown", "hashchange"] as const;

/** Resolves once something is known of the repository. */
export function known(): Promise<void> {
  return new Promise((resolve) => {
    const look = ({ seq }: { seq: bigint }) => {
      if (seq === 0n) return;
      unsubscribe();
      resolve();
    };
    const unsubscribe = useWorkspace.subscribe(look);
    look(useWorkspace.getState());
  });
}

/** Resolves once a person has done nothing for a moment, and the page waits for no answer. */
function quiet(): Promise<void> {
  return new Promise((resolve) => {
    const end = performance.now() + AT_MOST_MS;
    let timer = 0;
    const look = () => {
      if (queryClient.isFetching() > 0 && performance.now() < end) return moved();
      for (const move of MOVES) window.removeEventListener(move, moved, true);
      resolve();
    };
    const moved = () => {
      window.clearTimeout(timer);
      timer = window.setTimeout(look, Math.max(0, Math.min(QUIET_MS, end - performance.now())));
    };
    for (const move of MOVES) window.addEventListener(move, moved, true);
    moved();
  });
}

/**
 * Tells the app that the first view is drawn: the list of models is there, what is fetched behind it too, and nobody
 * waits for a page. In the window the engine starts then.
 */
export async function tellFirstView(fetched: Promise<unknown>): Promise<void> {
  await Promise.all([known(), fetched]);
  await quiet();
  await clients.workspace.noteShown({});
}
