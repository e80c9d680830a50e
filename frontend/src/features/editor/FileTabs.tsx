import { X } from "lucide-react";
import { useState } from "react";
import { Diagnostic_Severity, type FileProblems } from "../../api/conch_pb";
import { useModel } from "../../api/queries";
import { cx } from "../../lib/cx";
import { Button } from "../../ui/Button";
import { closeFiles, openFile } from "../../window/openFiles";
import { draftsIn } from "../../workspace/drafts";
import { useFindings } from "../../workspace/findings";
import { ProblemBadge } from "../../workspace/ProblemBadge";
import { useModelSummary, useWorkspace } from "../../workspace/workspace";
import { CloseDialog } from "./CloseDialog";
import css from "./fileTabs.module.css";
import { isConfig, isProgram } from "./program";
import { isOnlyHere, useDeletedFiles } from "./sessions";

/** More programs than this are opened from the files of the model. */
const MOST = 12;

interface FileTabsProps {
  model: string;
  /** The file that is shown. */
  path: string;
  config: string;
}

interface Tabs {
  paths: string[];
  programs: number;
  /** Those that are not on disk any more. */
  deleted: readonly string[];
}

/**
 * What has a tab: the config and the programs of a model, and the file that is shown. One that was deleted on disk keeps
 * its tab until it is closed: its text may be nowhere else.
 */
export function useTabs({ model, path, config }: FileTabsProps): Tabs {
  const { data } = useModel(model);
  const deleted = useDeletedFiles(model).filter((one) => one !== config);
  const programs = (data?.files ?? []).filter((file) => file.text && isProgram(file.path)).slice(0, MOST);
  const paths = [...new Set([config, ...programs.map((file) => file.path), ...deleted, path])];
  return { paths, programs: programs.length, deleted };
}

/** The config and the programs of a model, where it has programs: each one press away. */
export function FileTabs({ model, path, config }: FileTabsProps) {
  const { paths, programs, deleted } = useTabs({ model, path, config });
  const [closing, setClosing] = useState<string>();
  const edited = useWorkspace((state) => draftsIn(state));
  const summary = useModelSummary(model);
  const problems = useFindings((summary?.errors ?? 0) + (summary?.warnings ?? 0) > 0).filter(
    (file) => file.model === model,
  );
  if (paths.length === 1) return null;
  const isEdited = (one: string) => edited.some((draft) => draft.model === model && draft.path === one);
  const isDeleted = (one: string) => deleted.includes(one);
  const close = (one: string) => {
    if (isOnlyHere({ model, path: one })) setClosing(one);
    else closeFiles(model, one);
  };
  return (
    <nav className={css.tabs} aria-label="Files in the editor">
      {paths.map((one) => (
        <span key={one} className={css.slot}>
          <button
            type="button"
            className={cx(css.tab, one === path && css.shown, isDeleted(one) && css.deleted)}
            aria-current={one === path}
            title={titleOf(one, isEdited(one), isDeleted(one))}
            onClick={() => openFile(model, one)}
          >
            {isConfig(one) || programs > 1 || isDeleted(one) ? one : shortOf(one)}
            {one !== path && <ProblemBadge model={countsOf(problems, one)} />}
            {isEdited(one) && <span className={css.edited} role="img" aria-label="not saved" />}
          </button>
          {isDeleted(one) && (
            <Button small look="ghost" aria-label={`Close ${one}`} icon={<X />} onClick={() => close(one)} />
          )}
        </span>
      ))}
      {closing !== undefined && (
        <CloseDialog model={model} path={closing} onClose={() => setClosing(undefined)} />
      )}
    </nav>
  );
}

/** What is wrong in a file that is not shown; the list under the text tells it of the one that is. */
function countsOf(problems: readonly FileProblems[], path: string): { errors: number; warnings: number } {
  const all = problems.filter((file) => file.path === path).flatMap(({ diagnostics }) => diagnostics);
  const counted = (severity: Diagnostic_Severity) =>
    all.filter((one) => one.severity === severity && !one.follows).length;
  return {
    errors: counted(Diagnostic_Severity.ERROR),
    warnings: counted(Diagnostic_Severity.WARNING),
  };
}

function titleOf(path: string, edited: boolean, deleted: boolean): string {
  const facts = [path, deleted && "deleted on disk", edited && "not saved"];
  return facts.filter((fact) => fact !== false).join(", ");
}

/** A program that is the only one is named without its folder. */
const shortOf = (path: string) => path.slice(path.lastIndexOf("/") + 1);
