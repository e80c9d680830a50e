import type { StoreApi } from "zustand/vanilla";
import { clients } from "../../api/client";
import type { AnalyzeResponse, Draft } from "../../api/conch_pb";
import { createAnalyzer } from "./analyzer";
import type { Aside } from "./aside";
import type { FileId } from "./fileId";
import type { Holder } from "./holder";
import { showJudged } from "./judged";
import type { Kept } from "./kept";
import type { SessionState } from "./sessionState";

interface Options {
  file: FileId;
  store: StoreApi<SessionState>;
  holder: Holder;
  kept: Kept;
  aside: Aside;
  /** Another window has a newer text. */
  meetDraft: (draft: Draft) => void;
  /** The draft that the text goes on from was saved or discarded elsewhere. */
  ended: () => void;
  /** The app has another text of the file than this session knows of. */
  read: () => void;
}

/** After so long without a key, the app's version of the text is compared with this one. */
const SETTLED_MS = 1_000;

/** Has the app check the text while it is typed. The same question has the app keep the text. */
export function createCheck({ file, store, holder, kept, aside, meetDraft, ended, read }: Options) {
  const { text, base } = holder;
  /** The version of the draft that the app reported last. */
  let told = 0n;
  let settling: ReturnType<typeof setTimeout> | undefined;

  /** Whether another window's text is shown in place of this one. */
  const asksAboutDraft = () => store.getState().conflict?.draft?.path === file.path;
  const knows = () => kept.knows(text(), holder.isEdited());

  const analyzer = createAnalyzer({
    text,
    ask: async (asked, number) => {
      const from = base();
      const beside = from && asksAboutDraft() ? aside.keep(asked, number, from) : undefined;
      const isKnown = !beside && knows();
      if (isKnown) {
        aside.drop();
        showKept("");
      }
      const edit = from && !beside && !isKnown ? kept.edit(asked, number, from) : undefined;
      const answer = await clients.editor.analyze({ ...file, text: asked, number, edit });
      if (edit) noteKept(answer);
      else if (beside) showKept((await beside) ?? store.getState().notKept);
      return answer;
    },
    onAnswer: (answer) => showJudged(holder, store, answer),
    // The last known problems stay; the status bar says that the app does not answer.
    onError: () => undefined,
  });

  function showKept(notKept: string): void {
    if (store.getState().notKept !== notKept) store.setState({ notKept });
  }

  function noteKept(answer: AnalyzeResponse): void {
    kept.answered(answer);
    showKept(answer.notKept);
    if (answer.newer) meetDraft(answer.newer);
    else if (answer.gone) ended();
    else if (!answer.notKept) aside.drop();
    clearTimeout(settling);
    settling = setTimeout(settle, SETTLED_MS);
  }

  /** The text was changed elsewhere, or was saved or discarded: the app is asked what it is now. */
  function settle(): void {
    const draft = asksAboutDraft() ? store.getState().conflict?.draft : undefined;
    // An edit that is on its way, or waits for its turn, tells more than a reading.
    if (kept.waits() || (!draft && analyzer.busy() && !knows())) return;
    if (base() && told !== (draft ? draft.version : kept.version())) read();
  }

  const judge = () => analyzer.request(holder.state()?.doc.length ?? 0);

  return {
    judge,
    /** Of the newest question. */
    number: analyzer.number,
    /** Sends now what waits for its turn: the page may go away. */
    flush: analyzer.flush,
    /** Whether the app is known to have the text. */
    knows,
    /** What the app reports of the file's unsaved text, and which run of the app. */
    onDraft: (version: bigint, run: string) => {
      told = version;
      if (!base()) return;
      if (kept.restarted(run)) judge();
      else settle();
    },
  };
}
