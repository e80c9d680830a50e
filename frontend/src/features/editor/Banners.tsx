import { TriangleAlert } from "lucide-react";
import { useState } from "react";
import { useStore } from "zustand";
import { describeError } from "../../api/errors";
import { count } from "../../lib/format";
import { Banner } from "../../ui/Banner";
import { Button } from "../../ui/Button";
import { Named } from "../../ui/Named";
import { useBlocker } from "../../workspace/blocker";
import { ErrorBox } from "../../workspace/ErrorBox";
import { makeFileFor } from "../../workspace/repair";
import { asSentence, useModelSummary } from "../../workspace/workspace";
import css from "./editor.module.css";
import { RivalBanner } from "./RivalBanner";
import type { Session } from "./session";
import type { Conflict } from "./sessionState";
import { type OtherText, TwoTexts } from "./TwoTexts";

function whatHappened(path: string, { deleted, draft }: Conflict): string {
  if (draft?.version === 0n)
    return `${path} was saved or discarded in another window; what is typed here is kept until you choose`;
  if (draft && draft.path !== path) return `${path} has a second unsaved text, typed in another window`;
  if (draft) return `${path} was edited in another window too; both texts are kept until you choose`;
  return `${path} ${deleted ? "was deleted" : "changed"} on disk while it was edited here`;
}

/** The other text, and what keeping this one makes of it. */
function otherOf(session: Session, { text, draft, deleted }: Conflict): OtherText | undefined {
  if (draft) {
    return { text, name: "In the other window", lose: "Drop the other text", onLose: session.keepMine };
  }
  if (deleted) return undefined; // there is no other text to take or to compare with
  return { text, name: "On disk", lose: "Overwrite the file", onLose: () => void session.save(true) };
}

/** The file changed under an edit: nothing is overwritten, either way, without being asked for. */
function ConflictBanner({ session }: { session: Session }) {
  const conflict = useStore(session.store, (state) => state.conflict);
  if (!conflict) return null;
  return (
    <TwoTexts
      session={session}
      other={otherOf(session, conflict)}
      instead={{ label: "Save it as a new file", run: () => void session.save(true) }}
      onDrop={session.reload}
    >
      <Named text={whatHappened(session.file.path, conflict)} names={[session.file.path]} />
    </TwoTexts>
  );
}

/** There is no room for the text: it lives in this window only. */
function NotKept({ session }: { session: Session }) {
  const why = useStore(session.store, (state) => state.notKept);
  if (!why) return null;
  return (
    <Banner icon={<TriangleAlert aria-hidden="true" />}>
      This text is lost when the window is closed. {why}
    </Banner>
  );
}

function SaveError({ session }: { session: Session }) {
  const error = useStore(session.store, (state) => state.saveError);
  if (error === undefined) return null;
  return (
    <div className={css.saveError}>
      <ErrorBox
        title={`${session.file.path} was not saved`}
        names={[session.file.path]}
        error={error}
        onRetry={() => void session.save()}
      >
        <span className="dim">The text is kept here.</span>
      </ErrorBox>
    </div>
  );
}

function ReadOnlyNote({ session }: { session: Session }) {
  const readOnly = useStore(session.store, (state) => state.readOnly);
  const note = useStore(session.store, (state) => state.note);
  if (!readOnly) return null;
  return (
    <Banner tone="note">{note ? asSentence(note) : "This file is read-only: changes cannot be saved"}</Banner>
  );
}

/** A model may do without a config; one is easier to go on from when it says what Triton would fill in. */
function NoConfig({ session }: { session: Session }) {
  const exists = useStore(session.store, (state) => state.exists);
  const edited = useStore(session.store, (state) => state.edited);
  const [failed, setFailed] = useState("");
  if (exists || edited || !session.file.path.endsWith("config.pbtxt")) return null;
  const write = () =>
    session.draft().catch((error: unknown) => setFailed(`${asSentence(describeError(error).message)}.`));
  return (
    <Banner
      tone="note"
      actions={
        !failed && (
          <Button small needs="app" onClick={() => void write()}>
            Write one from the model file
          </Button>
        )
      }
    >
      {failed || "There is no config.pbtxt: Triton fills in what the model file tells."}
    </Banner>
  );
}

/** The file was there. Its text is kept here; of a program that the model needs, a first one can be written as well. */
function Deleted({ session }: { session: Session }) {
  const deleted = useStore(session.store, (state) => state.deleted);
  const edited = useStore(session.store, (state) => state.edited);
  const { model, path } = session.file;
  const blocker = useBlocker(useModelSummary(model));
  if (deleted === undefined || edited) return null;
  const writes = blocker?.writes?.file.path === path ? blocker.writes : undefined;
  return (
    <Banner
      icon={<TriangleAlert aria-hidden="true" />}
      actions={
        <>
          {writes && (
            <Button small needs="app" title={writes.title} onClick={() => void makeFileFor(model, writes)}>
              Write {path}
            </Button>
          )}
          <Button small look="primary" needs="app" onClick={() => void session.putBack()}>
            Put back what was here
          </Button>
        </>
      }
    >
      {path} was deleted on disk. The text that was here is kept until its tab is closed, or this page is
      closed or loaded again.
    </Banner>
  );
}

/** A template is no broken config: it waits for values. */
function TemplateNote({ session }: { session: Session }) {
  const placeholders = useStore(session.store, (state) => state.placeholders);
  const readOnly = useStore(session.store, (state) => state.readOnly);
  if (placeholders.length === 0) return null;
  const names = placeholders.map(({ name }) => name).join(", ");
  return (
    <Banner
      tone="note"
      actions={
        !readOnly && (
          <Button small needs="app" onClick={() => session.ask("template")}>
            Fill in…
          </Button>
        )
      }
    >
      <span title={names}>
        A template with {count(placeholders.length, "placeholder")}; what depends on them is not checked yet.
      </span>
    </Banner>
  );
}

/** Everything about the file that needs to be known before going on typing. */
export function Banners({ session }: { session: Session }) {
  return (
    <>
      <ReadOnlyNote session={session} />
      <NoConfig session={session} />
      <Deleted session={session} />
      <TemplateNote session={session} />
      <ConflictBanner session={session} />
      <RivalBanner session={session} />
      <NotKept session={session} />
      <SaveError session={session} />
    </>
  );
}
