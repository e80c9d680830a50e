import { type RefObject, useEffect, useMemo, useRef, useState } from "react";
import { useStore } from "zustand";
import { askEditor, useAsked } from "../../window/asked";
import { keys } from "../../window/keys";
import { usePlace } from "../../window/place";
import { Split } from "../../window/Split";
import { ErrorBox } from "../../workspace/ErrorBox";
import { useWorkspace } from "../../workspace/workspace";
import { Banners } from "./Banners";
import { CompareView } from "./CompareView";
import { EditorBar, type Mode } from "./EditorBar";
import { EffectiveView } from "./EffectiveView";
import css from "./editor.module.css";
import { FileTabs, useTabs } from "./FileTabs";
import { OutlineDialog } from "./OutlineDialog";
import { ProblemList } from "./ProblemList";
import { isConfig } from "./program";
import { RenameDialog } from "./RenameDialog";
import type { Session } from "./session";
import { sessionOf } from "./sessions";
import { TemplateDialog } from "./TemplateDialog";
import { UsesList } from "./UsesList";
import { useDisk } from "./useDisk";
import { useKeptSpot } from "./useKeptSpot";
import { usePaneKey } from "./usePaneKey";

/** Takes the eye to a span that was asked for elsewhere, once the text is there. */
function useReveal(session: Session): void {
  const reveal = usePlace((place) => place.reveal);
  const ready = useStore(session.store, (state) => state.status === "ready");
  const restore = usePlace((place) => place.restore);
  useEffect(() => {
    if (restore && ready && restore.path === session.file.path) {
      if (session.restore(restore)) usePlace.setState({ restore: undefined });
    }
  }, [session, restore, ready]);
  useEffect(() => {
    if (reveal && ready && reveal.path === session.file.path) {
      const { line, from, to } = reveal;
      if (line ? session.revealLine(line) : session.reveal(from, to))
        usePlace.setState({ reveal: undefined });
    }
  }, [session, reveal, ready]);
}

/** Does what a command asked for, once the text is there; of a text that cannot be read it is over. */
function useAskedFor(session: Session): void {
  const asked = useAsked((state) => state.editor);
  const status = useStore(session.store, (state) => state.status);
  useEffect(() => {
    if (!asked || asked === "effective" || asked === "compare" || status === "reading") return;
    askEditor(undefined);
    if (status === "failed") return;
    if (asked === "outline") session.ask("outline");
    else if (asked === "type")
      queueMicrotask(session.focus); // a menu that closes gives the focus back first
    // React draws the panel at once only when it draws nothing else.
    else queueMicrotask(session.search);
  }, [session, asked, status]);
}

/** The search of a text that is still being read opens with it; reports whether it is. */
function searchOnceRead({ store }: Session): boolean {
  const reading = store.getState().status === "reading";
  if (reading) askEditor("search");
  return reading;
}

function TextHost({ session, host }: { session: Session; host: RefObject<HTMLDivElement | null> }) {
  useEffect(() => (host.current ? session.mount(host.current) : undefined), [session, host]);
  return <div ref={host} className={css.host} />;
}

function Text({ session }: { session: Session }) {
  const host = useRef<HTMLDivElement>(null);
  useKeptSpot(session, host);
  useReveal(session);
  useAskedFor(session);
  const status = useStore(session.store, (state) => state.status);
  const error = useStore(session.store, (state) => state.error);
  const uses = useStore(session.store, (state) => state.uses);
  const some = useStore(session.store, (state) => state.findings.length + state.dependants.length > 0);
  if (status === "failed") {
    return (
      <div className={css.failed}>
        <ErrorBox
          title={`${session.file.path} was not read`}
          names={[session.file.path]}
          error={error}
          onRetry={session.retry}
        />
      </div>
    );
  }
  return (
    <div className={css.text}>
      <Split
        name="problem list"
        label="Height of the problem list"
        direction="vertical"
        fixed="second"
        size={170}
        min={70}
        rest={120}
        first={<TextHost session={session} host={host} />}
        second={some ? <ProblemList session={session} /> : undefined}
      />
      {!some && <ProblemList session={session} />}
      {uses && (
        <div className={css.peek}>
          <UsesList session={session} uses={uses} />
        </div>
      )}
    </div>
  );
}

interface EditorPaneProps {
  model: string;
  path: string;
  /** Its config, which may be the file that is shown. */
  config: string;
}

/** The config of a model, or another text file of it: text with its problems, or what Triton makes of it. */
export function EditorPane({ model, path, config }: EditorPaneProps) {
  const repository = useWorkspace(({ repository }) => repository?.id ?? "");
  const session = useMemo(() => sessionOf({ model, path }, repository), [model, path, repository]);
  const [chosen, setMode] = useState<Mode>("text");
  const mode = isConfig(path) ? chosen : "text";
  const place = usePlace((place) => place.reveal ?? place.restore);
  const asked = useAsked((state) => state.editor) ?? place;
  const tabbed = useTabs({ model, path, config }).paths.length > 1;
  useDisk(session);
  usePaneKey(keys.save, () => {
    void session.save();
    return true;
  });
  usePaneKey(keys.search, () => session.search() || (mode === "text" && searchOnceRead(session)));
  useEffect(() => {
    if (asked !== "effective" && asked !== "compare") {
      if (asked) setMode("text");
      return;
    }
    askEditor(undefined);
    setMode(asked);
  }, [asked]);
  return (
    <section className={css.pane} aria-label={isConfig(path) ? "Config" : path}>
      <FileTabs model={model} path={path} config={config} />
      <EditorBar session={session} mode={mode} tabbed={tabbed} onMode={setMode} />
      <Banners session={session} />
      {mode === "text" && <Text session={session} />}
      {mode === "effective" && <EffectiveView session={session} onText={() => setMode("text")} />}
      {mode === "compare" && <CompareView session={session} onText={() => setMode("text")} />}
      <RenameDialog session={session} />
      <OutlineDialog session={session} />
      <TemplateDialog session={session} />
    </section>
  );
}
