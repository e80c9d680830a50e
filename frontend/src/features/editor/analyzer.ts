import type { AnalyzeResponse } from "../../api/conch_pb";

/** Above this many characters a pause in typing is waited for, but not for long: what is asked about is also kept. */
const LARGE = 200_000;
const PAUSE_MS = 150;
const LONGEST_MS = 450;

export interface AnalyzerOptions {
  text: () => string;
  ask: (text: string, number: bigint) => Promise<AnalyzeResponse>;
  onAnswer: (answer: AnalyzeResponse) => void;
  onError: (error: unknown) => void;
}

/**
 * Asks about the text as it is typed: at once, one question at a time, and again when the text changed
 * meanwhile. Only a page that goes away asks beside a question that has no answer yet. An answer about an older text
 * is dropped by its number.
 */
export function createAnalyzer({ text, ask, onAnswer, onError }: AnalyzerOptions) {
  let newest = 0n;
  let asking = 0;
  let waiting = false;
  let dead = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** Since when a pause is waited for. */
  let since: number | undefined;

  async function run(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    since = undefined;
    asking++;
    waiting = false;
    const number = newest;
    try {
      const answer = await ask(text(), number);
      if (!dead && answer.number === newest) onAnswer(answer);
    } catch (error) {
      if (!dead) onError(error);
    } finally {
      asking--;
    }
    if (waiting && asking === 0 && !dead) void run();
  }

  return {
    /** The text changed, or something that it is judged by. */
    request(length: number): void {
      newest++;
      clearTimeout(timer);
      timer = undefined;
      if (asking > 0) waiting = true;
      else if (length > LARGE) {
        since ??= Date.now();
        timer = setTimeout(() => void run(), Math.min(PAUSE_MS, since + LONGEST_MS - Date.now()));
      } else void run();
    },
    /** Of the newest text. */
    number: () => newest,
    /** Whether an answer is waited for, or a question waits for a pause. */
    busy: () => asking > 0 || waiting || timer !== undefined,
    /** Asks now what has no answer yet: the page goes away, and takes ordinary questions that are on their way with it. */
    flush(): void {
      if (timer !== undefined || asking > 0) void run();
    },
    destroy(): void {
      dead = true;
      clearTimeout(timer);
    },
  };
}
