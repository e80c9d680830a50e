import { AlignLeft, ListTree } from "lucide-react";
import { useStore } from "zustand";
import { cx } from "../../lib/cx";
import { Bar } from "../../ui/Bar";
import { Button } from "../../ui/Button";
import { Segmented } from "../../ui/Segmented";
import { keys, readable, withKey } from "../../window/keys";
import { readyVersions } from "../../workspace/VersionMenu";
import { useModelSummary } from "../../workspace/workspace";
import css from "./editor.module.css";
import { notFormatted } from "./notFormatted";
import { isConfig } from "./program";
import type { Session } from "./session";

export type Mode = "text" | "effective" | "compare";

const modes = [
  { value: "text", label: "Text" },
  { value: "effective", label: "Effective", title: "What the file says with everything filled in" },
  {
    value: "compare",
    label: "Compare",
    title: "File, what Triton fills in, and the model file, side by side",
  },
] as const;

/** Which version serves, where the file is one of another version. */
function useOtherVersion({ file: { model, path } }: Session): string | undefined {
  const serving = readyVersions(useModelSummary(model)?.versions ?? []).map(({ number }) => String(number));
  const [version] = /^[1-9]\d*(?=\/)/.exec(path) ?? [];
  if (version === undefined || serving.length === 0 || serving.includes(version)) return undefined;
  return `${serving.length === 1 ? "version" : "versions"} ${serving.join(", ")} ${serving.length === 1 ? "serves" : "serve"}`;
}

/** What a person should know of the file. */
function State({ session }: { session: Session }) {
  const edited = useStore(session.store, (state) => state.edited);
  const exists = useStore(session.store, (state) => state.exists);
  const readOnly = useStore(session.store, (state) => state.readOnly);
  const note = useStore(session.store, (state) => state.note);
  const deleted = useStore(session.store, (state) => state.deleted !== undefined);
  const missing = deleted ? "deleted on disk" : "not there yet";
  const word = readOnly ? "read-only" : edited ? "edited" : exists ? "" : missing;
  const of = note && !readOnly ? note.replace(" line ends", "") : "";
  const other = useOtherVersion(session);
  return (
    <span className={cx(css.state, readOnly && css.readOnly)}>
      {word}
      {other && (
        <span title="What is changed here is not in what the model serves.">
          {word ? ` · ${other}` : other}
        </span>
      )}
      {of && (
        <span className={css.fileNote} title={note}>
          {word || other ? ` · ${of}` : of}
        </span>
      )}
    </span>
  );
}

/** What can be done to the text of a config alone. */
function OfConfig({ session, off, ready }: { session: Session; off: boolean; ready: boolean }) {
  return (
    <>
      <Button
        small
        look="ghost"
        className={css.outline}
        aria-label="Outline"
        title={withKey("Outline", keys.outline)}
        icon={<ListTree />}
        disabled={off}
        onClick={() => session.ask("outline")}
      />
      <Button
        small
        look="ghost"
        needs="app"
        aria-label="Format"
        title={withKey("Format", keys.format)}
        icon={<AlignLeft className={css.formatIcon} />}
        disabled={!ready || off}
        onClick={() => void session.format().catch(notFormatted)}
      >
        <span className={css.formatWord}>Format</span>
      </Button>
    </>
  );
}

interface EditorBarProps {
  session: Session;
  mode: Mode;
  /** A tab above has the name of the config. */
  tabbed: boolean;
  onMode: (mode: Mode) => void;
}

export function EditorBar({ session, mode, tabbed, onMode }: EditorBarProps) {
  const ready = useStore(session.store, (state) => state.status === "ready" && !state.readOnly);
  const canSave = useStore(session.store, (state) => state.edited && !state.saving);
  const config = isConfig(session.file.path);
  const named = !(config && tabbed);
  return (
    <Bar
      actions={
        <>
          {config && <OfConfig session={session} off={mode !== "text"} ready={ready} />}
          <Button
            small
            look="primary"
            needs="app"
            shortcut={readable(keys.save)}
            disabled={!ready || !canSave}
            onClick={() => void session.save()}
          >
            Save
          </Button>
        </>
      }
    >
      {config && <Segmented label="View of the config" value={mode} options={modes} onChange={onMode} />}
      {named && (
        <span className={css.path} title={session.file.path}>
          {session.file.path}
        </span>
      )}
      <State session={session} />
    </Bar>
  );
}
