/** Longer than two of the app's heartbeats; after that the connection counts as lost. */
const SILENCE_MS = 12_000;
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 5_000;
/** How soon one update is given after another where they can be made one. */
const SPACING_MS = 100;

export interface WatcherOptions<T> {
  watch: (signal: AbortSignal) => AsyncIterable<T>;
  onUpdate: (update: T) => void;
  /**
   * Makes one update of two, where they can be one. What comes quickly, or while the page was busy, is then given together:
   * items that have arrived are read one after the other without a pause, and the page would draw each of them before it
   * takes a click.
   */
  merge?: (first: T, next: T) => T | undefined;
  onLost: (error: unknown) => void;
  silenceMs?: number;
  firstWaitMs?: number;
}

/** Rejects when the signal ends or nothing arrived for a while; resolves with the next item otherwise. */
async function nextOrSilence<T>(iterator: AsyncIterator<T>, silenceMs: number): Promise<IteratorResult<T>> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("the workbench went silent")), silenceMs);
  });
  try {
    return await Promise.race([iterator.next(), silence]);
  } finally {
    clearTimeout(timer);
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done);
  });
}

/** Gives the first item at once, and what comes soon after it together. */
function spaced<T>(give: (item: T) => void, merge: (first: T, next: T) => T | undefined) {
  let waiting: T | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const giveWaiting = () => {
    clearTimeout(timer);
    timer = undefined;
    const item = waiting;
    waiting = undefined;
    if (item !== undefined) now(item);
  };
  const now = (item: T) => {
    timer = setTimeout(giveWaiting, SPACING_MS);
    give(item);
  };
  const take = (item: T) => {
    if (timer === undefined) return now(item);
    if (waiting === undefined) {
      waiting = item;
      return;
    }
    const merged = merge(waiting, item);
    if (merged === undefined) giveWaiting();
    waiting = merged ?? item;
  };
  const end = () => {
    giveWaiting();
    clearTimeout(timer);
  };
  return { take, end };
}

/**
 * Follows a stream of the app for as long as it is wanted: reads updates, treats silence as a lost connection,
 * and asks again with growing pauses. A new stream begins with a reset, so nothing needs to be remembered.
 */
export function createWatcher<T>(options: WatcherOptions<T>): { destroy(): void; hurry(): void } {
  const { watch, onUpdate, onLost, merge, silenceMs = SILENCE_MS, firstWaitMs = FIRST_WAIT_MS } = options;
  const life = new AbortController();
  let wait = firstWaitMs;
  let pausing = new AbortController();

  async function readOnce(): Promise<void> {
    const attempt = new AbortController();
    const stop = () => attempt.abort();
    life.signal.addEventListener("abort", stop);
    const give = (item: T) => {
      if (!life.signal.aborted) onUpdate(item);
    };
    const { take, end } = merge ? spaced(give, merge) : { take: give, end: () => undefined };
    try {
      const iterator = watch(attempt.signal)[Symbol.asyncIterator]();
      for (;;) {
        const item = await nextOrSilence(iterator, silenceMs);
        if (item.done || life.signal.aborted) return;
        wait = firstWaitMs;
        take(item.value);
      }
    } finally {
      end();
      attempt.abort();
      life.signal.removeEventListener("abort", stop);
    }
  }

  async function run(): Promise<void> {
    while (!life.signal.aborted) {
      try {
        await readOnce();
        if (!life.signal.aborted) onLost(new Error("the stream ended"));
      } catch (error) {
        if (!life.signal.aborted) onLost(error);
      }
      pausing = new AbortController();
      await pause(wait, AbortSignal.any([life.signal, pausing.signal]));
      wait = Math.min(wait * 2, LONGEST_WAIT_MS);
    }
  }

  void run();
  return {
    destroy: () => life.abort(),
    /** Asks at once, if it is waiting to ask again. */
    hurry: () => {
      wait = firstWaitMs;
      pausing.abort();
    },
  };
}
