import type { EditorView } from "@codemirror/view";
import type { FileId } from "./fileId";
import type { LineBreak } from "./lines";
import { type AskedName, askName, goToDefinition } from "./names";
import { notFormatted } from "./notFormatted";
import type { SessionState } from "./sessionState";
import type { Hands } from "./setup";

export interface HandsOptions {
  file: FileId;
  lineBreak: () => LineBreak;
  /** Whether a view still shows the session. */
  shows: (view: EditorView) => boolean;
  get: () => SessionState;
  set: (state: Partial<SessionState>) => void;
  save: () => Promise<void>;
  format: () => Promise<void>;
}

/** What the keys of the editor do to its session. */
export function createHands({ file, lineBreak, shows, get, set, save, format }: HandsOptions): Hands {
  const ask = async (view: EditorView, then: (name: AskedName) => void, pos?: number) => {
    const name = await askName(view, file, lineBreak(), pos);
    if (name && shows(view)) then(name);
  };
  return {
    save: () => void save(),
    format: () => void format().catch(notFormatted),
    definition: (view, pos) =>
      void ask(view, ({ answer }) => goToDefinition(answer, file, view, lineBreak()), pos),
    uses: (view) => void ask(view, (uses) => set({ uses })),
    rename: (view) => void ask(view, (name) => set({ dialog: { kind: "rename", name } })),
    outline: () => set({ dialog: { kind: "outline" } }),
    dismiss: () => {
      const { uses } = get();
      set({ uses: undefined });
      return uses !== undefined;
    },
  };
}
