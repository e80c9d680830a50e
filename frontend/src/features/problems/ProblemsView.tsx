import { useQuery } from "@tanstack/react-query";
import { CircleCheck } from "lucide-react";
import { useMemo, useState } from "react";
import { type Diagnostic, Diagnostic_Severity, type FileProblems } from "../../api/conch_pb";
import { problemsQuery } from "../../api/queries";
import { count } from "../../lib/format";
import { Bar } from "../../ui/Bar";
import { Button } from "../../ui/Button";
import { Empty } from "../../ui/Empty";
import { Segmented } from "../../ui/Segmented";
import { TextField } from "../../ui/TextField";
import { Words } from "../../ui/Words";
import { explainRule } from "../../window/dialogs";
import { revealInConfig } from "../../window/place";
import { useKeptScroll } from "../../window/useKeptScroll";
import { draftsIn } from "../../workspace/drafts";
import { ErrorBox } from "../../workspace/ErrorBox";
import { SeverityIcon } from "../../workspace/SeverityIcon";
import { useWorkspace } from "../../workspace/workspace";
import css from "./problems.module.css";
import { repair } from "./repair";

type Shown = "all" | "errors";

const none: readonly FileProblems[] = [];

/** More files than this are cut off; the filter leads to the rest. */
const FILES_SHOWN = 200;

function filtered(files: readonly FileProblems[], shown: Shown, text: string): FileProblems[] {
  return files
    .map((file) => ({
      ...file,
      diagnostics: file.diagnostics.filter(
        (found) =>
          (shown === "all" || found.severity === Diagnostic_Severity.ERROR) &&
          `${file.model} ${found.message} ${found.code}`.toLowerCase().includes(text),
      ),
    }))
    .filter((file) => file.diagnostics.length > 0);
}

function RelatedPlaces({ file, found }: { file: FileProblems; found: Diagnostic }) {
  return found.related.map(({ model, path, from, to, line, message }) => (
    <button
      key={`${model} ${from} ${message}`}
      type="button"
      className={css.related}
      onClick={() => revealInConfig(model, { path, from, to })}
    >
      {model === file.model ? `line ${line}` : `${model}, line ${line}`}: {message}
    </button>
  ));
}

/** A rule's ID, which opens its explanation. */
function RuleCode({ code }: { code: string }) {
  return (
    <button
      type="button"
      className={css.code}
      aria-label={`Explain ${code}`}
      onClick={() => explainRule(code)}
    >
      {code}
    </button>
  );
}

function Row({ file, found }: { file: FileProblems; found: Diagnostic }) {
  const [fix] = found.fixes;
  const open = () => revealInConfig(file.model, { path: file.path, from: found.from, to: found.to });
  return (
    <li className={css.problem}>
      <div className={css.text}>
        <button type="button" className={css.row} onClick={open} title={found.triton || undefined}>
          <SeverityIcon severity={found.severity} />
          <span className={css.where}>line {found.line}</span>
          <span className={css.message}>
            <Words text={found.message} />
          </span>
        </button>
        <RelatedPlaces file={file} found={found} />
      </div>
      <RuleCode code={found.code} />
      {fix && (
        <Button small look="ghost" title={fix.title} onClick={() => void repair(file, found, fix)}>
          {!fix.safe && <span className={css.suggestion}>Suggestion:</span>} {fix.title}
        </Button>
      )}
    </li>
  );
}

function FileGroup({ file }: { file: FileProblems }) {
  const edited = useWorkspace((state) =>
    draftsIn(state).some(({ model, path }) => model === file.model && path === file.path),
  );
  return (
    <section className={css.file} aria-label={`Problems of ${file.model}`}>
      <h2>
        <span>{file.model}</span> <span className="mono dim">{file.path}</span>
        {edited && <span className={css.unsaved}>not saved yet</span>}
      </h2>
      <ul>
        {file.diagnostics.map((found) => (
          <Row key={`${found.code} ${found.from} ${found.message}`} file={file} found={found} />
        ))}
      </ul>
    </section>
  );
}

/** Every problem of the repository, by file. */
export function ProblemsView() {
  const { data, error, refetch } = useQuery(problemsQuery());
  const [shown, setShown] = useState<Shown>("all");
  const [text, setText] = useState("");
  const wanted = text.trim().toLowerCase();
  const kept = useKeptScroll<HTMLDivElement>("problems");
  const all = data?.files ?? none;
  const files = useMemo(() => filtered(all, shown, wanted), [all, shown, wanted]);
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
        {files.slice(0, FILES_SHOWN).map((file) => (
          <FileGroup key={`${file.model}/${file.path}`} file={file} />
        ))}
        {files.length > FILES_SHOWN && (
          <p className="dim">
            {count(files.length - FILES_SHOWN, "more file")} with problems; filter to see them
          </p>
        )}
      </div>
    </div>
  );
}
