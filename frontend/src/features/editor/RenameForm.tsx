import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { FolderPen } from "lucide-react";
import { type FormEvent, useState } from "react";
import type { PlannedFile, PlanRenameResponse } from "../../api/conch_pb";
import { describeError } from "../../api/errors";
import { cx } from "../../lib/cx";
import { count } from "../../lib/format";
import { Button } from "../../ui/Button";
import { TextField } from "../../ui/TextField";
import { nameProblem, OverHTTP } from "../../workspace/ModelName";
import { useModelSummary } from "../../workspace/workspace";
import css from "./names.module.css";
import { renameModel } from "./renameModel";
import { writeFiles } from "./writeFiles";

function FilePreview({ file }: { file: PlannedFile }) {
  return (
    <section className={css.file} aria-label={`${file.model}/${file.path}`}>
      <h3>
        <span className="mono">{file.model}</span> <span className="mono dim">{file.path}</span>
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

/** The folder that goes with the name, and what becomes of a model that serves. */
function FolderPreview({ from, to }: { from: string; to: string }) {
  const dir = useModelSummary(from)?.dir ?? from;
  return (
    <section className={css.file} aria-label="Folder">
      <h3>
        Folder <span className="mono dim">{dir}</span>
      </h3>
      <div className={css.change}>
        <span className={css.line}>
          <FolderPen aria-hidden="true" />
        </span>
        <div>
          <div className={css.removed}>{from}/</div>
          <div className={css.added}>{to}/</div>
        </div>
      </div>
    </section>
  );
}

/** Why there is no such rename. */
const problemOf = ({ problem, folder }: PlanRenameResponse, name: string): string =>
  problem || (folder && nameProblem(name)) || "";

interface PreviewProps {
  plan: PlanRenameResponse | undefined;
  name: string;
  stale: boolean;
  onName: (name: string) => void;
}

function Preview({ plan, name, stale, onName }: PreviewProps) {
  if (!plan) return <p className={css.hint}>What changes is shown here, line by line.</p>;
  const problem = problemOf(plan, name);
  if (problem)
    return (
      <p className={cx(css.hint, css.problem)} role="status">
        {problem}
      </p>
    );
  return (
    <>
      {plan.warning && (
        <p className={css.warning} role="note">
          {plan.warning}
        </p>
      )}
      {plan.folder && <OverHTTP className={css.warning} name={name} onChoose={onName} />}
      <div className={cx(css.lines, stale && css.stale)}>
        {plan.folder && <FolderPreview from={plan.folder} to={name} />}
        {plan.files.map((file) => (
          <FilePreview key={`${file.model}/${file.path}`} file={file} />
        ))}
      </div>
    </>
  );
}

const lines = (files: readonly PlannedFile[]) => files.reduce((sum, { lines }) => sum + lines.length, 0);

function verb({ files, folder }: PlanRenameResponse): string {
  const where = `${count(lines(files), "line")} of ${count(files.length, "file")}`;
  if (!folder) return `Rename in ${where}`;
  return files.length > 0 ? `Rename the folder, and ${where}` : "Rename the folder";
}

function apply(plan: PlanRenameResponse, old: string, name: string) {
  if (plan.folder) return renameModel(plan.folder, name, plan.files, `${old} is now ${name}`);
  const text = `${old} is now ${name} in ${count(plan.files.length, "file")}`;
  return writeFiles(plan.files, { text, names: [old, name] });
}

interface RenameFormProps {
  old: string;
  /** What tells one question from another. */
  about: readonly unknown[];
  plan: (name: string, signal: AbortSignal) => Promise<PlanRenameResponse>;
  onClose: () => void;
}

/** Asks for a name, and shows every line that changes before it is written. */
export function RenameForm({ old, about, plan, onClose }: RenameFormProps) {
  const [name, setName] = useState(old);
  const [failed, setFailed] = useState("");
  const [writing, setWriting] = useState(false);
  const query = useQuery({
    queryKey: ["rename", ...about, name],
    queryFn: ({ signal }) => plan(name, signal),
    enabled: name !== old,
    placeholderData: keepPreviousData,
    staleTime: 0,
    gcTime: 0,
  });
  const planned = name === old ? undefined : query.data;
  const settled = !query.isPlaceholderData && !query.isFetching && !writing;
  const ready =
    settled &&
    planned &&
    problemOf(planned, name) === "" &&
    (planned.folder !== "" || planned.files.length > 0);
  const rename = async (event: FormEvent) => {
    event.preventDefault();
    if (!ready || !planned) return;
    setWriting(true);
    const answer = await apply(planned, old, name);
    setWriting(false);
    if (answer.ok) onClose();
    else setFailed(answer.why);
  };
  return (
    <form onSubmit={(event) => void rename(event)}>
      <TextField
        autoFocus
        className={css.field}
        aria-label="New name"
        value={name}
        invalid={planned !== undefined && problemOf(planned, name) !== ""}
        onFocus={(event) => event.target.select()}
        onChange={(event) => setName(event.target.value)}
      />
      <div className={css.preview}>
        <Preview plan={planned} name={name} stale={query.isFetching} onName={setName} />
      </div>
      <div className={css.foot}>
        <span className={css.failed} role="alert">
          {failed || (query.error ? describeError(query.error).message : "")}
        </span>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" needs="app" disabled={!ready}>
          {planned && problemOf(planned, name) === "" ? verb(planned) : "Rename"}
        </Button>
      </div>
    </form>
  );
}
