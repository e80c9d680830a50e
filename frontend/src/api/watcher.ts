/** Longer than two of the app's heartbeats; after that the connection counts as lost. */
const SILENCE_MS = 12_000;
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 5_000;

export interface WatcherOptions<T> {
  watch: (signal: AbortSignal) => AsyncIterable<T>;
  onUpdate: (update: T) => void;
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

/**
 * Follows a stream of the app for as long as it is wanted: reads updates, treats silence as a lost connection,
 * and asks again with growing pauses. A new stream begins with a reset, so nothing needs to be remembered.
 */
export function createWatcher<T>(options: WatcherOptions<T>): { destroy(): void; hurry(): void } {
  const { watch, onUpdate, onLost, silenceMs = SILENCE_MS, firstWaitMs = FIRST_WAIT_MS } = options;
  const life = new AbortController();
  let wait = firstWaitMs;
  let pausing = new AbortController();

  async function readOnce(): Promise<void> {
    const attempt = new AbortController();
    const stop = () => attempt.abort();
    life.signal.addEventListener("abort", stop);
    try {
      const iterator = watch(attempt.signal)[Symbol.asyncIterator]();
      for (;;) {
        const item = await nextOrSilence(iterator, silenceMs);
        if (item.done || life.signal.aborted) return;
        wait = firstWaitMs;
        onUpdate(item.value);
      }
    } finally {
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
