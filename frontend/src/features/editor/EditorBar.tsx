import { useStore } from "zustand";
import { describeError } from "../../api/errors";
import { toast } from "../../stores/toasts";
import { Bar } from "../../ui/Bar";
import { Button } from "../../ui/Button";
import { Segmented } from "../../ui/Segmented";
import css from "./editor.module.css";
import type { Session } from "./session";

export type Mode = "text" | "effective";

const modes = [
  { value: "text", label: "Text" },
  { value: "effective", label: "Effective", title: "What the file says with everything filled in" },
] as const;

function State({ session }: { session: Session }) {
  const edited = useStore(session.store, (state) => state.edited);
  const exists = useStore(session.store, (state) => state.exists);
  const readOnly = useStore(session.store, (state) => state.readOnly);
  const note = useStore(session.store, (state) => state.note);
  const word = readOnly ? "read-only" : edited ? "edited" : exists ? "" : "not there yet";
  return (
    <span className={css.state}>
      {word && `· ${word}`}
      {note && !readOnly && (
        <span className={css.fileNote} title={note}>
          {" "}
          · {note}
        </span>
      )}
    </span>
  );
}

async function format(session: Session): Promise<void> {
  try {
    await session.format();
  } catch (error) {
    toast({ level: "error", text: "The text was not formatted", detail: describeError(error).message });
  }
}

interface EditorBarProps {
  session: Session;
  mode: Mode;
  onMode: (mode: Mode) => void;
}

export function EditorBar({ session, mode, onMode }: EditorBarProps) {
  const ready = useStore(session.store, (state) => state.status === "ready" && !state.readOnly);
  const canSave = useStore(session.store, (state) => state.edited && !state.saving);
  return (
    <Bar
      actions={
        <>
          <Button
            small
            look="ghost"
            disabled={!ready || mode !== "text"}
            onClick={() => void format(session)}
          >
            Format
          </Button>
          <Button
            small
            look="primary"
            shortcut="Ctrl S"
            disabled={!ready || !canSave}
            onClick={() => void session.save()}
          >
            Save
          </Button>
        </>
      }
    >
      <Segmented label="View of the config" value={mode} options={modes} onChange={onMode} />
      <span className={css.path} title={session.file.path}>
        {session.file.path}
      </span>
      <State session={session} />
    </Bar>
  );
}
