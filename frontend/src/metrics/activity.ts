/** Whether requests run or something was told. While neither is so, figures hardly change, and feeds ask seldom. */
import { useWorkspace } from "../workspace/workspace";

export type Activity = {
  isQuiet(): boolean;
  onBegin(listener: () => void): () => void; // called when it is quiet no more
  onTold(listener: () => void): () => void; // called when something was told: the history has it from then on
};

const lastsMs = 5000; // what was measured is in the history within two seconds

type State = ReturnType<typeof useWorkspace.getState>;

const rests = ({ engine }: State) => engine !== undefined && engine.requestsPerSecond === 0;

const beginListeners = new Set<() => void>();
const toldListeners = new Set<() => void>();
let until = 0;

function listen(listeners: Set<() => void>, listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

useWorkspace.subscribe((state, before) => {
  if (rests(state) && state.notices === before.notices) return;
  const wasQuiet = rests(before) && Date.now() >= until;
  until = Date.now() + lastsMs;
  if (wasQuiet) for (const listener of beginListeners) listener();
  if (state.notices !== before.notices) for (const listener of toldListeners) listener();
});

/** As the program tells it. Before it has told anything it is not quiet. */
export const told: Activity = {
  isQuiet: () => rests(useWorkspace.getState()) && Date.now() >= until,
  onBegin: (listener) => listen(beginListeners, listener),
  onTold: (listener) => listen(toldListeners, listener),
};
