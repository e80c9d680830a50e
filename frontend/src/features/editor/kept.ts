import type { AnalyzeResponse, Draft, Edit } from "../../api/conch_pb";

/** What on disk a text began from. */
export interface Begin {
  text: string;
  version: string;
}

/** How many texts without an answer are remembered: an answer may be lost with the connection. */
const UNANSWERED = 4;

export type Kept = ReturnType<typeof createKept>;

/** Names an open text among all that are open in any page. */
const newWriter = () => crypto.getRandomValues(new BigUint64Array(1)).join("");

/**
 * What the app has of a text that is edited here. The app holds the truth: each change is sent with its number and the
 * version that is known here, and one that comes from a window that is behind is not taken.
 */
export function createKept(repository: string) {
  let writer = newWriter();
  let version = 0n;
  let run = "";
  /** The text that the app is known to have; undefined when it has none but what is on disk. */
  let text: string | undefined;
  let sent: { number: bigint; text: string }[] = [];
  /** What was sent and refused, or not answered: the app may still have it after a restart. */
  let refused: string[] = [];
  /** The app was started again, and may have less than it said. */
  let doubted = false;
  /** It is known that the app has no draft now. Edits that are on their way are of the one before, by their name. */
  const ended = () => {
    text = undefined;
    writer = newWriter();
  };
  const has = (draft: Pick<Draft, "text" | "version"> | undefined) => {
    version = draft?.version ?? 0n;
    text = draft?.text;
    sent = [];
    refused = [];
    doubted = false;
    if (!draft) ended();
  };
  return {
    /** Which repository the file is in; the first answer says it where the window does not know yet. */
    repository: () => repository,
    writer: () => writer,
    version: () => version,
    /** The message that keeps a text. */
    edit(next: string, number: bigint, base: Begin): Omit<Edit, "$typeName" | "$unknown"> {
      sent = [...sent, { number, text: next }].slice(-UNANSWERED);
      return { repository, since: version, baseText: base.text, baseVersion: base.version, writer };
    },
    /** What was sent after the text that this answers goes on waiting for its own answer. */
    answered(answer: Pick<AnalyzeResponse, "number" | "newer" | "gone" | "notKept" | "version">): void {
      const asked = sent.find(({ number }) => number === answer.number);
      if (asked === undefined) return;
      const before = sent.filter(({ number }) => number <= answer.number);
      sent = sent.filter(({ number }) => number > answer.number);
      if (answer.notKept) return;
      if (answer.newer || answer.gone) {
        refused = [...refused, ...before.map((one) => one.text)].slice(-UNANSWERED);
        return;
      }
      ({ version } = answer);
      text = version === 0n ? undefined : asked.text;
      refused = [];
      doubted = false;
    },
    has,
    /** The app's text is known to have this version. */
    at(now: bigint): void {
      version = now;
      if (now === 0n) ended();
    },
    /** Whether a text came from here, or is what was typed on from. */
    isOwn: (other: string) =>
      other === text || sent.some((one) => one.text === other) || refused.includes(other),
    /** Whether an edit has no answer yet. */
    waits: () => sent.length > 0,
    /** Whether the app has the text as it is here: it is no edit of this window then. */
    knows: (now: string, edited: boolean) =>
      sent.length === 0 && (doubted || text === undefined ? !edited : text === now),
    /** Whether the app was started again since it was heard last; what it has may be older then. */
    restarted(now: string): boolean {
      const other = run !== "" && now !== "" && now !== run;
      if (now !== "") run = now;
      if (other) doubted = true;
      return other;
    },
    found(where: string): void {
      if (repository === "") repository = where;
    },
  };
}
