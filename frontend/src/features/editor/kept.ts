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
  const writer = newWriter();
  let version = 0n;
  let run = "";
  /** The text that the app is known to have; undefined when it has none but what is on disk. */
  let text: string | undefined;
  let sent: { number: bigint; text: string }[] = [];
  const has = (draft: Pick<Draft, "text" | "version"> | undefined) => {
    version = draft?.version ?? 0n;
    text = draft?.text;
    sent = [];
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
    answered(answer: Pick<AnalyzeResponse, "number" | "newer" | "notKept" | "version">): void {
      const asked = sent.find(({ number }) => number === answer.number);
      if (answer.newer || asked === undefined) return;
      sent = sent.filter(({ number }) => number > answer.number);
      if (answer.notKept) return;
      ({ version } = answer);
      ({ text } = asked);
    },
    has,
    /** The app's text is known to have this version. */
    at(now: bigint): void {
      version = now;
    },
    /** Whether a text came from here, or is what was typed on from. */
    isOwn: (other: string) => other === text || sent.some((one) => one.text === other),
    /** Whether nothing was typed since the app answered last. */
    isNewest: (now: string) => sent.length === 0 && (text === undefined || text === now),
    /** Whether the app was started again since it was heard last; what it has may be older then. */
    restarted(now: string): boolean {
      const other = run !== "" && now !== "" && now !== run;
      if (now !== "") run = now;
      return other;
    },
    found(where: string): void {
      if (repository === "") repository = where;
    },
  };
}
