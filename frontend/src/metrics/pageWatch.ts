/** Runs what asks for metrics only while the page is seen. */
type Runs = { start(): void; stop(): void };

const running = new Set<Runs>();

/** Starts it now, or when the page is seen again. The returned function ends it. */
export function whileSeen(machine: Runs): () => void {
  running.add(machine);
  if (!document.hidden) machine.start();
  return () => {
    running.delete(machine);
    machine.stop();
  };
}

document.addEventListener("visibilitychange", () => {
  for (const machine of running) {
    if (document.hidden) machine.stop();
    else machine.start();
  }
});
