import { Diagnostic_Severity, type FileProblems } from "../../api/conch_pb";
import { useModel } from "../../api/queries";
import { cx } from "../../lib/cx";
import { openFile } from "../../window/openFiles";
import { draftsIn } from "../../workspace/drafts";
import { useFindings } from "../../workspace/findings";
import { ProblemBadge } from "../../workspace/ProblemBadge";
import { useModelSummary, useWorkspace } from "../../workspace/workspace";
import css from "./fileTabs.module.css";
import { isConfig, isProgram } from "./program";

/** More programs than this are opened from the files of the model. */
const MOST = 12;

interface FileTabsProps {
  model: string;
  /** The file that is shown. */
  path: string;
  config: string;
}

/** What has a tab: the config and the programs of a model, and the file that is shown. */
export function useTabs({ model, path, config }: FileTabsProps): { paths: string[]; programs: number } {
  const { data } = useModel(model);
  const programs = (data?.files ?? []).filter((file) => file.text && isProgram(file.path)).slice(0, MOST);
  const paths = [...new Set([config, ...programs.map((file) => file.path), path])];
  return { paths, programs: programs.length };
}

/** The config and the programs of a model, where it has programs: each one press away. */
export function FileTabs({ model, path, config }: FileTabsProps) {
  const { paths, programs } = useTabs({ model, path, config });
  const edited = useWorkspace((state) => draftsIn(state));
  const summary = useModelSummary(model);
  const problems = useFindings((summary?.errors ?? 0) + (summary?.warnings ?? 0) > 0).filter(
    (file) => file.model === model,
  );
  if (paths.length === 1) return null;
  const isEdited = (one: string) => edited.some((draft) => draft.model === model && draft.path === one);
  return (
    <nav className={css.tabs} aria-label="Files in the editor">
      {paths.map((one) => (
        <button
          key={one}
          type="button"
          className={cx(css.tab, one === path && css.shown)}
          aria-current={one === path}
          title={isEdited(one) ? `${one}, not saved` : one}
          onClick={() => openFile(model, one)}
        >
          {isConfig(one) || programs > 1 ? one : shortOf(one)}
          {one !== path && <ProblemBadge model={countsOf(problems, one)} />}
          {isEdited(one) && <span className={css.edited} role="img" aria-label="not saved" />}
        </button>
      ))}
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

/** A program that is the only one is named without its folder. */
const shortOf = (path: string) => path.slice(path.lastIndexOf("/") + 1);
