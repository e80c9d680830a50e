import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useStore } from "zustand";
import { clients } from "../../api/client";
import type { PlannedFile, PlanRenameResponse } from "../../api/conch_pb";
import { describeError } from "../../api/errors";
import { cx } from "../../lib/cx";
import { count } from "../../lib/format";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { TextField } from "../../ui/TextField";
import type { AskedName } from "./names";
import css from "./names.module.css";
import type { Session } from "./session";
import { othersUnsaved } from "./unsaved";
import { writeFiles } from "./writeFiles";

function usePlan(session: Session, asked: AskedName, name: string) {
  const { file } = session;
  return useQuery({
    queryKey: ["rename", file.model, file.path, asked.offset, asked.text, name],
    queryFn: ({ signal }) =>
      clients.editor.planRename(
        { ...file, text: asked.text, offset: asked.offset, name, others: othersUnsaved(file) },
        { signal },
      ),
    enabled: name !== asked.answer.name && asked.answer.fixed === "",
    placeholderData: keepPreviousData,
    staleTime: 0,
    gcTime: 0,
  });
}

function FilePreview({ file }: { file: PlannedFile }) {
  return (
    <section className={css.file} aria-label={`${file.model}/${file.path}`}>
      <h3>
        {file.model} <span className="mono dim">{file.path}</span>
        {file.unsaved && <span className={css.note}>its unsaved changes are saved with it</span>}
      </h3>
      {file.lines.map(({ line, before, after }) => (
        <div key={line} className={css.change}>
          <span className={css.line}>{line}</span>
          <div>
            <div className={css.removed}>{before}</div>
            <div className={css.added}>{after}</div>
          </div>
        </div>
      ))}
    </section>
  );
}

function Preview({ plan, stale }: { plan: PlanRenameResponse | undefined; stale: boolean }) {
  if (!plan) return <p className={css.hint}>The lines that change are shown here.</p>;
  if (plan.problem) return <p className={css.hint}>{plan.problem}</p>;
  return (
    <div className={cx(stale && css.stale)}>
      {plan.warning && (
        <p className={css.warning} role="note">
          {plan.warning}
        </p>
      )}
      {plan.files.map((file) => (
        <FilePreview key={file.model} file={file} />
      ))}
    </div>
  );
}

const lines = (files: readonly PlannedFile[]) => files.reduce((sum, { lines }) => sum + lines.length, 0);

function RenameForm({ session, asked }: { session: Session; asked: AskedName }) {
  const old = asked.answer.name;
  const [name, setName] = useState(old);
  const [failed, setFailed] = useState("");
  const [writing, setWriting] = useState(false);
  const { data: plan, error, isFetching, isPlaceholderData } = usePlan(session, asked, name);
  const files = plan?.files ?? [];
  const ready = name !== old && files.length > 0 && !isPlaceholderData && !isFetching && !writing;
  const close = () => session.close("dialog");
  const rename = async (event: FormEvent) => {
    event.preventDefault();
    if (!ready) return;
    setWriting(true);
    const answer = await writeFiles(files, `${old} is now ${name} in ${count(files.length, "file")}`);
    setWriting(false);
    if (answer.ok) close();
    else setFailed(answer.why);
  };
  return (
    <form onSubmit={(event) => void rename(event)}>
      <TextField
        autoFocus
        className={css.field}
        aria-label="New name"
        value={name}
        onFocus={(event) => event.target.select()}
        onChange={(event) => setName(event.target.value)}
      />
      <div className={css.preview}>
        <Preview plan={name === old ? undefined : plan} stale={isFetching} />
      </div>
      <div className={css.foot}>
        <span className={css.failed} role="alert">
          {failed || (error ? describeError(error).message : "")}
        </span>
        <Button onClick={close}>Cancel</Button>
        <Button type="submit" look="primary" disabled={!ready}>
          {files.length > 0 && name !== old
            ? `Rename in ${count(lines(files), "line")} of ${count(files.length, "file")}`
            : "Rename"}
        </Button>
      </div>
    </form>
  );
}

/** Another name for a tensor, wherever it is used: every line that changes is shown before it is written. */
export function RenameDialog({ session }: { session: Session }) {
  const dialog = useStore(session.store, (state) => state.dialog);
  if (dialog?.kind !== "rename") return null;
  const { answer } = dialog.name;
  return (
    <Dialog
      open
      wide
      title={`Rename ${answer.title}`}
      description={answer.fixed || undefined}
      onClose={() => session.close("dialog")}
    >
      {answer.fixed === "" && <RenameForm session={session} asked={dialog.name} />}
    </Dialog>
  );
}
