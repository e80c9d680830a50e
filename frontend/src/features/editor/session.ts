import { EditorView } from "@codemirror/view";
import { createStore } from "zustand/vanilla";
import { clients } from "../../api/client";
import type { AnalyzeResponse, ReadFileResponse } from "../../api/conch_pb";
import { toast } from "../../window/toasts";
import { whyOff } from "../../workspace/workspace";
import { createAnalyzer } from "./analyzer";
import { createAside } from "./aside";
import { createChoices } from "./choices";
import type { FileId } from "./fileId";
import { createHands } from "./hands";
import { createHolder } from "./holder";
import { showJudged } from "./judged";
import { type Begin, createKept } from "./kept";
import { createMeeting } from "./meeting";
import { saveText } from "./save";
import { conflictWith, initial, type SessionState } from "./sessionState";
import { setup } from "./setup";
import { createShown } from "./shown";

export type Session = ReturnType<typeof createSession>;

/** After so long without a key, what the app tells of the text is held against what is here. */
const SETTLED_MS = 1_000;

/**
 * One open file: its text with undo history, what disk says, and what is known about it. It lives longer
 * than the view that shows it, so that leaving a model and coming back keeps the undo history. The text itself
 * is kept by the app.
 */
export function createSession({ model, path }: FileId, repository = "") {
  /** Its model may be given another name. */
  const file = { model, path };
  const store = createStore<SessionState>(() => initial);
  const set = store.setState;
  const holder = createHolder((lineBreak) => {
    const { readOnly } = store.getState();
    return setup({ file, lineBreak, readOnly, hands, listener });
  });
  const { text, base } = holder;
  const kept = createKept(repository);
  const aside = createAside(file, kept);
  /** The version of the draft that the app told of last. */
  let told = 0n;
  let settling: ReturnType<typeof setTimeout> | undefined;
  /** Of the readings of the file the newest counts, and none that began before the text got another begin. */
  let reading = 0;
  /** An edit was refused since the draft that it goes on from has ended. */
  let gone = false;

  const analyzer = createAnalyzer({
    text,
    ask: async (asked, number) => {
      const from = base();
      const beside = from && asksAboutDraft() ? aside.keep(asked, number, from) : undefined;
      const isKnown = !beside && knows();
      if (isKnown) aside.drop();
      const edit = from && !beside && !isKnown ? kept.edit(asked, number, from) : undefined;
      const answer = await clients.editor.analyze({ ...file, text: asked, number, edit });
      if (edit) noteKept(answer);
      else if (beside) set({ notKept: (await beside) ?? store.getState().notKept });
      return answer;
    },
    onAnswer: (answer) => showJudged(holder, store, answer),
    // The last known problems stay; the status bar says that the app does not answer.
    onError: () => undefined,
  });

  /** Whether another window's text is shown in place of this one. */
  const asksAboutDraft = () => store.getState().conflict?.draft?.path === file.path;
  const knows = () => kept.knows(text(), holder.isEdited());

  function noteKept(answer: AnalyzeResponse): void {
    kept.answered(answer);
    if (store.getState().notKept !== answer.notKept) set({ notKept: answer.notKept });
    if (answer.newer) meetDraft(answer.newer);
    else if (answer.gone) {
      gone = true;
      void read();
    } else if (!answer.notKept) aside.drop();
    clearTimeout(settling);
    settling = setTimeout(settle, SETTLED_MS);
  }

  /** The text was changed elsewhere, or is saved or discarded: the app is asked what it is now. */
  function settle(): void {
    const draft = asksAboutDraft() ? store.getState().conflict?.draft : undefined;
    // An edit that is on its way, or waits for its turn, tells more than a reading.
    if (kept.waits() || (!draft && analyzer.busy() && !knows())) return;
    if (base() && told !== (draft ? draft.version : kept.version())) void read();
  }

  const judge = () => analyzer.request(holder.state()?.doc.length ?? 0);

  function noteEdited(): void {
    const edited = holder.isEdited();
    if (base() && edited !== store.getState().edited) set({ edited });
  }

  const { meet, meetDisk, meetDraft, take } = createMeeting({
    file,
    store,
    holder,
    kept,
    judge,
    noteEdited,
    outdated: () => reading++,
  });

  const listener = EditorView.updateListener.of((update) => {
    if (!update.docChanged) return;
    if (store.getState().uses) set({ uses: undefined });
    noteEdited();
    judge();
  });

  const hands = createHands({
    file,
    lineBreak: holder.lineBreak,
    shows: (view) => holder.view() === view,
    get: store.getState,
    set,
    save: () => save(),
    format: () => format(),
  });

  /** The first reading: an unsaved text from before comes back, with a question if disk moved on. */
  function open(found: ReadFileResponse): void {
    const { draft } = found;
    kept.restarted(found.run);
    kept.has(draft);
    set({
      status: "ready",
      error: undefined,
      exists: found.exists,
      readOnly: found.readOnly,
      note: found.note,
    });
    const begun = draft ? { text: draft.baseText, version: draft.baseVersion } : found;
    holder.begin(draft?.text ?? found.text, begun);
    noteEdited();
    if (draft && draft.baseVersion !== found.version) meetDisk(found);
    judge();
    void meetLeft();
  }

  /** A window went away before its question was answered. */
  async function meetLeft(): Promise<void> {
    const left = await aside.left();
    if (left && !store.getState().conflict) set({ conflict: conflictWith(left) });
  }

  function replaceText(next: string): void {
    if (!holder.replace(next) || holder.view()) return; // a view tells of it itself
    noteEdited();
    judge();
  }

  async function read(): Promise<void> {
    const number = ++reading;
    const since = kept.version();
    try {
      const found = await clients.editor.readFile({ ...file, repository: kept.repository() });
      if (number !== reading) return;
      kept.found(found.repository);
      if (base()) meet(found, since, gone);
      else open(found);
      gone = false;
      set({ rival: found.rival });
    } catch (error) {
      if (!base() && number === reading) set({ status: "failed", error });
    }
  }

  async function save(overwrite = false): Promise<void> {
    const { saving, readOnly, status, edited, exists } = store.getState();
    const from = base();
    if (saving || readOnly || status !== "ready" || !from || !(edited || overwrite || !exists)) return;
    const off = whyOff("app");
    if (off) {
      toast({
        level: "warning",
        text: `${file.path} was not saved`,
        detail: `${off}. The text is kept in this page.`,
      });
      return;
    }
    const saved = text();
    const asked = { text: saved, baseVersion: from.version, overwrite, number: analyzer.number() };
    set({ saving: true, saveError: undefined });
    try {
      const answer = await saveText({ ...file, ...asked }, kept);
      if (answer.newer) {
        meetDraft(answer.newer);
        return;
      }
      if (answer.conflict) {
        const { diskText, diskVersion } = answer;
        set({ conflict: { text: diskText, version: diskVersion, deleted: diskVersion === "" } });
        return;
      }
      reading++; // those that are under way are older
      holder.rebase({ text: saved, version: answer.version });
      kept.at(answer.draftVersion);
      set({ conflict: undefined, exists: true });
      noteEdited();
      judge();
    } catch (error) {
      set({ saveError: error });
    } finally {
      set({ saving: false });
    }
  }

  async function format(): Promise<void> {
    const before = text();
    const answer = await clients.editor.format({ text: before });
    if (text() === before) replaceText(answer.text);
  }

  void read();

  return {
    ...createShown(file, holder),
    ...createChoices({ store, text, kept, aside, take, judge }),
    /** What waits for its turn is sent now: the page may go away. */
    flush: analyzer.flush,
    /** Whether something was typed that the app is not known to have. */
    isHereAlone: () => base() !== undefined && !knows(),
    file,
    store,
    text,
    save,
    format,
    /** What the app tells of the file's unsaved text, and which run of the app. */
    onDraft: (version: bigint, run: string) => {
      told = version;
      if (!base()) return;
      if (kept.restarted(run)) judge();
      else settle();
    },
    /** A file of this name changed on disk. */
    onDisk: (version: string) => {
      if (base() && !store.getState().saving && version !== base()?.version) void read();
    },
    /** Looks at the disk again: what happened while nobody listened is not told afterwards. */
    refresh: () => {
      if (!base() || store.getState().saving) return;
      if (!knows()) judge(); // what was typed while the app did not answer
      void read();
    },
    /** Something changed by which the text is judged: another model, the model's own file. */
    judge: () => {
      if (base()) judge();
    },
    retry: () => void read(),
    /** What was written to disk for this file, with a change that goes through several, and what is unsaved over it. */
    adopt: (written: Begin, unsaved?: string) => {
      kept.has(undefined);
      if (base()) take(written, unsaved);
    },
    close: (what: "uses" | "dialog") => set({ [what]: undefined }),
    ask: (kind: "outline" | "template") => set({ dialog: { kind } }),
    replace: replaceText,
    /** Fills an empty text with what the model file says; the user saves it. */
    draft: async () => replaceText((await clients.editor.draftConfig({ model: file.model })).text),
    /** Its model is called otherwise now. */
    rename: (name: string) => {
      file.model = name;
    },
  };
}
