import { EditorState, type StateEffect, type Text, type TransactionSpec } from "@codemirror/state";
import { closeHoverTooltips, EditorView } from "@codemirror/view";
import { createStore } from "zustand/vanilla";
import { clients } from "../../api/client";
import type { NamePlace, ReadFileResponse } from "../../api/conch_pb";
import { draftOf } from "../../stores/drafts";
import type { TextSpot } from "../../stores/textSpot";
import { setLocator } from "../../stores/trail";
import { createAnalyzer } from "./analyzer";
import { createDraftKeeper } from "./draftKeeper";
import type { FileId } from "./fileId";
import { type Finding, findingsField, findingsOf } from "./findings";
import { applyFix } from "./fixes";
import { changeTo, type LineBreak, lineBreakOf } from "./lines";
import { type AskedName, askName, goTo, goToDefinition } from "./names";
import { notFormatted } from "./notFormatted";
import { showFinding } from "./popover";
import { initial, type SessionState } from "./sessionState";
import { type Hands, setup } from "./setup";
import { showSight, showSpot, spotIn } from "./spots";
import { othersUnsaved } from "./unsaved";

/** What on disk the text began from. */
interface Base {
  text: string;
  doc: Text;
  version: string;
}

export type Session = ReturnType<typeof createSession>;

/**
 * One open file: its text with undo history, what disk says, and what is known about it. It lives longer
 * than the view that shows it, so that leaving a model and coming back loses nothing.
 */
export function createSession({ model, path }: FileId) {
  /** Its model may be given another name. */
  const file = { model, path };
  const store = createStore<SessionState>(() => initial);
  const set = store.setState;
  let lineBreak: LineBreak = "\n";
  let base: Base | undefined;
  let editor: EditorState | undefined;
  let view: EditorView | undefined;
  let scroll: StateEffect<unknown> | undefined;

  const text = () => (view?.state ?? editor)?.sliceDoc() ?? "";
  const current = () => view?.state ?? editor;

  const analyzer = createAnalyzer({
    text,
    ask: (asked, number) =>
      clients.editor.analyze({ ...file, text: asked, number, others: othersUnsaved(file) }),
    onAnswer: (answer) => {
      const state = current();
      if (!state) return;
      change({ effects: findingsOf(state, answer, lineBreak) });
      const { dependants, outline, placeholders } = answer;
      const findings = current()?.field(findingsField).list ?? [];
      set({ findings, dependants, outline, placeholders, judged: store.getState().judged + 1 });
    },
    // The last known problems stay; the status bar says that the app does not answer.
    onError: () => undefined,
  });

  function change(spec: TransactionSpec): void {
    if (view) view.dispatch(spec);
    else if (editor) {
      const { state, changes } = editor.update(spec);
      editor = state;
      scroll = scroll?.map(changes);
    }
  }

  const drafts = createDraftKeeper(file, () =>
    base && store.getState().edited
      ? { ...file, text: text(), baseText: base.text, baseVersion: base.version }
      : undefined,
  );

  function noteEdited(): void {
    const doc = current()?.doc;
    if (!base || !doc) return;
    const edited = !doc.eq(base.doc);
    if (edited !== store.getState().edited) {
      set({ edited });
      drafts.now();
    }
    drafts.soon();
  }

  const listener = EditorView.updateListener.of((update) => {
    if (!update.docChanged) return;
    if (store.getState().uses) set({ uses: undefined });
    noteEdited();
    analyzer.request(update.state.doc.length);
  });

  const ask = async (target: EditorView, then: (name: AskedName) => void, pos?: number) => {
    const name = await askName(target, file, lineBreak, pos);
    if (name && view === target) then(name);
  };

  const hands: Hands = {
    save: () => void save(),
    format: () => void format().catch(notFormatted),
    definition: (target, pos) =>
      void ask(target, ({ answer }) => goToDefinition(answer, file, target, lineBreak), pos),
    uses: (target) => void ask(target, (uses) => set({ uses })),
    rename: (target) => void ask(target, (name) => set({ dialog: { kind: "rename", name } })),
    outline: () => set({ dialog: { kind: "outline" } }),
    dismiss: () => {
      const { uses } = store.getState();
      set({ uses: undefined });
      return uses !== undefined;
    },
  };

  function newState(doc: string): EditorState {
    const { readOnly } = store.getState();
    return EditorState.create({ doc, extensions: setup({ file, lineBreak, readOnly, hands, listener }) });
  }

  function rebase(onDisk: string, version: string): void {
    base = {
      text: onDisk,
      doc: EditorState.create({ doc: onDisk, extensions: EditorState.lineSeparator.of(lineBreak) }).doc,
      version,
    };
  }

  /** The first reading: an unsaved text from before comes back, with a question if disk moved on. */
  function open(found: ReadFileResponse): void {
    const draft = found.readOnly ? undefined : draftOf(file.model, file.path);
    lineBreak = lineBreakOf(draft?.baseText ?? found.text);
    set({
      status: "ready",
      error: undefined,
      exists: found.exists,
      readOnly: found.readOnly,
      note: found.note,
    });
    rebase(draft?.baseText ?? found.text, draft?.baseVersion ?? found.version);
    editor = newState(draft?.text ?? found.text);
    view?.setState(editor);
    noteEdited();
    if (draft && draft.baseVersion !== found.version) meetDisk(found);
    analyzer.request(editor.doc.length);
  }

  /** Something else is on disk now: an untouched text follows it, an edited one asks. */
  function meetDisk(found: ReadFileResponse): void {
    const { edited } = store.getState();
    set({ exists: found.exists, note: found.note });
    if (edited && found.text !== text()) {
      change({ effects: closeHoverTooltips });
      set({ conflict: { text: found.text, version: found.version, deleted: !found.exists } });
      return;
    }
    takeDisk(found.text, found.version);
  }

  function takeDisk(onDisk: string, version: string): void {
    const breaks = lineBreakOf(onDisk);
    if (breaks !== lineBreak) {
      lineBreak = breaks;
      editor = newState(onDisk);
      view?.setState(editor);
      rebase(onDisk, version);
      analyzer.request(onDisk.length);
    } else {
      rebase(onDisk, version);
      replaceText(onDisk);
    }
    set({ conflict: undefined, saveError: undefined });
    noteEdited();
  }

  /** Changes only what differs, so that the cursor and the squiggles stay where they are. */
  function replaceText(next: string): void {
    const state = current();
    if (!state || state.sliceDoc() === next) return;
    change({ changes: changeTo(state, next, lineBreak) });
    if (!view) {
      noteEdited();
      analyzer.request(next.length);
    }
  }

  async function read(): Promise<void> {
    try {
      const found = await clients.editor.readFile({ ...file });
      if (!base) open(found);
      else if (found.version !== base.version) meetDisk(found);
    } catch (error) {
      if (!base) set({ status: "failed", error });
    }
  }

  async function save(overwrite = false): Promise<void> {
    const { saving, readOnly, status, edited, exists } = store.getState();
    if (saving || readOnly || status !== "ready" || !base || !(edited || overwrite || !exists)) return;
    const saved = text();
    set({ saving: true, saveError: undefined });
    try {
      const asked = { ...file, text: saved, baseVersion: base.version, overwrite };
      const answer = await clients.editor.saveFile(asked);
      if (answer.conflict) {
        const { diskText, diskVersion } = answer;
        set({ conflict: { text: diskText, version: diskVersion, deleted: diskVersion === "" } });
        return;
      }
      rebase(saved, answer.version);
      set({ conflict: undefined, exists: true });
      noteEdited();
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
    file,
    store,
    text,
    save,
    format,
    /** Shows the session in an element; returns what takes it away again. */
    mount(parent: HTMLElement): () => void {
      view = new EditorView({ parent, state: editor ?? newState(""), scrollTo: scroll });
      const unlocate = setLocator(() => view && spotIn(view, file.path));
      return () => {
        unlocate();
        if (!view) return;
        scroll = view.scrollSnapshot();
        if (editor) editor = view.state.update({ effects: showFinding.of(undefined) }).state;
        view.destroy();
        view = undefined;
        drafts.flush();
      };
    },
    focus: () => view?.focus(),
    /** A file of this name changed on disk. */
    onDisk: (version: string) => {
      if (base && !store.getState().saving && version !== base.version) void read();
    },
    /** Looks at the disk again: what happened while nobody listened is not told afterwards. */
    refresh: () => {
      if (base && !store.getState().saving) void read();
    },
    /** Something changed by which the text is judged: another model, the model's own file. */
    judge: () => {
      const state = current();
      if (state && base) analyzer.request(state.doc.length);
    },
    retry: () => void read(),
    /** Throws the edit away for what is on disk. It can be undone. */
    reload: () => {
      const { conflict } = store.getState();
      if (conflict) takeDisk(conflict.text, conflict.version);
    },
    fix: (finding: Finding) => {
      const [first] = finding.diagnostic.fixes;
      if (view && first) applyFix(view, first, { file, lineBreak });
    },
    /** A text that was written to disk for this file, with a change that goes through several files. */
    adopt: (written: string, version: string) => {
      if (base) takeDisk(written, version);
    },
    goTo: (place: NamePlace) => goTo(place, file, view, lineBreak),
    close: (what: "uses" | "dialog") => set({ [what]: undefined }),
    ask: (kind: "outline" | "template") => set({ dialog: { kind } }),
    replace: replaceText,
    /** Fills an empty text with what the model file says; saving it is left to whoever reads it. */
    draft: async () => replaceText((await clients.editor.draftConfig({ model: file.model })).text),
    reveal: (from: number, to: number, explain?: Finding) => {
      if (!view || !base) return false;
      showSight(view, { from, to, explain }, lineBreak);
      return true;
    },
    restore: (spot: TextSpot, how?: "quietly") => {
      if (!view || !base) return false;
      showSpot(view, spot, how);
      return true;
    },
    /** Its model is called otherwise now. */
    rename: (name: string) => {
      file.model = name;
    },
  };
}
