import { useQuery } from "@tanstack/react-query";
import { CircleCheck } from "lucide-react";
import { memo, useMemo, useState } from "react";
import { Diagnostic_Severity, type FileProblems } from "../../api/conch_pb";
import { problemsQuery } from "../../api/queries";
import { count } from "../../lib/format";
import { Bar } from "../../ui/Bar";
import { Button } from "../../ui/Button";
import { Empty } from "../../ui/Empty";
import { MiddleTruncate } from "../../ui/MiddleTruncate";
import { Segmented } from "../../ui/Segmented";
import { TextField } from "../../ui/TextField";
import { useKeptScroll } from "../../window/useKeptScroll";
import { grouped } from "../../workspace/consequences";
import { draftsIn } from "../../workspace/drafts";
import { ErrorBox } from "../../workspace/ErrorBox";
import { useWorkspace } from "../../workspace/workspace";
import { ProblemRow } from "./ProblemRow";
import css from "./problems.module.css";
import { useGrowing } from "./useGrowing";
import { type Held, useHeld } from "./useHeld";

type Shown = "all" | "errors";

const none: readonly FileProblems[] = [];

/** More files than this are cut off; the filter leads to the rest. */
const FILES_SHOWN = 400;

function filtered(files: readonly FileProblems[], shown: Shown, text: string): FileProblems[] {
  return files
    .map((file) => ({
      ...file,
      diagnostics: file.diagnostics.filter(
        (found) =>
          (shown === "all" || found.severity === Diagnostic_Severity.ERROR) &&
          `${file.model || file.path} ${found.message} ${found.code}`.toLowerCase().includes(text),
      ),
    }))
    .filter((file) => file.diagnostics.length > 0);
}

/** How many problems a list holds, in the rows that it shows them in. */
const rowsOf = (files: readonly FileProblems[]): number =>
  files.reduce((sum, file) => sum + grouped(file.diagnostics, (found) => found).length, 0);

type GroupProps = { readonly file: FileProblems; readonly held: Held; readonly waiting: number };

const FileGroup = memo(function FileGroup({ file, held, waiting }: GroupProps) {
  const edited = useWorkspace((state) =>
    draftsIn(state).some(({ model, path }) => model === file.model && path === file.path),
  );
  return (
    <section
      className={css.file}
      aria-label={`Problems of ${[file.model, file.path].filter(Boolean).join("/")}`}
    >
      <h2>
        {file.model ? <MiddleTruncate text={file.model} /> : "Repository"}
        <span className="mono dim">{file.path}</span>
        {edited && <span className={css.unsaved}>not saved yet</span>}
      </h2>
      <ul>
        {grouped(file.diagnostics, (found) => found).map(({ row: found, also }) => (
          <ProblemRow
            key={`${found.code} ${found.from} ${found.message}`}
            file={file}
            found={found}
            also={also}
            over={held.isOver(file, found)}
            undo={held.undoOf(file, found)}
            waiting={waiting}
            onShow={held.release}
            onFix={(fix) => void held.fix(file, found, fix)}
          />
        ))}
      </ul>
    </section>
  );
});

/** Every problem of the repository, by file. */
export function ProblemsView() {
  const { data, error, refetch } = useQuery(problemsQuery());
  const [shown, setShown] = useState<Shown>("all");
  const [text, setText] = useState("");
  const wanted = text.trim().toLowerCase();
  const kept = useKeptScroll<HTMLDivElement>("problems");
  const held = useHeld(data?.files ?? none);
  const all = held.files;
  const files = useMemo(() => filtered(all, shown, wanted), [all, shown, wanted]);
  const waiting = useMemo(() => filtered(held.waiting, shown, wanted), [held.waiting, shown, wanted]);
  const waitingOf = (model: string) => rowsOf(waiting.filter((file) => file.model === model));
  const shownFiles = useGrowing(Math.min(files.length, FILES_SHOWN));
  const nothing = data && all.every((file) => file.diagnostics.length === 0);
  return (
    <div className={css.view}>
      <Bar>
        <Segmented
          label="Show"
          value={shown}
          onChange={setShown}
          options={[
            { value: "all", label: "All" },
            { value: "errors", label: "Errors" },
          ]}
        />
        <TextField
          className={css.filter}
          aria-label="Filter problems"
          placeholder="Filter"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <span role="status">
          {waiting.length > 0 && (
            <Button small onClick={held.release}>
              Show {count(rowsOf(waiting), "new problem")}
            </Button>
          )}
        </span>
      </Bar>
      <div ref={kept} className={css.list}>
        {error && !data && (
          <ErrorBox title="Conch could not list the problems" error={error} onRetry={() => void refetch()} />
        )}
        {nothing && (
          <Empty icon={<CircleCheck />} title="No problems">
            Triton would take every config of this repository.
          </Empty>
        )}
        {data && !nothing && files.length === 0 && <Empty title="No problem matches" />}
        <div className={css.files} {...held.on}>
          {files.slice(0, shownFiles).map((file) => (
            <FileGroup
              key={`${file.model}/${file.path}`}
              file={file}
              held={held}
              waiting={waitingOf(file.model)}
            />
          ))}
        </div>
        {files.length > FILES_SHOWN && (
          <p className="dim">
            {count(files.length - FILES_SHOWN, "more file")} with problems; filter to see them
          </p>
        )}
      </div>
    </div>
  );
}
