import { useModel } from "../../api/queries";
import { cx } from "../../lib/cx";
import { openFile } from "../../window/openFiles";
import { draftsIn } from "../../workspace/drafts";
import { useWorkspace } from "../../workspace/workspace";
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

/** The config and the programs of a model, where it has programs: each one press away. */
export function FileTabs({ model, path, config }: FileTabsProps) {
  const { data } = useModel(model);
  const edited = useWorkspace((state) => draftsIn(state));
  const programs = (data?.files ?? []).filter((file) => file.text && isProgram(file.path)).slice(0, MOST);
  const paths = [...new Set([config, ...programs.map((file) => file.path), path])];
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
          {isConfig(one) || programs.length > 1 ? one : shortOf(one)}
          {isEdited(one) && <span className={css.edited} role="img" aria-label="not saved" />}
        </button>
      ))}
    </nav>
  );
}

/** A program that is the only one is named without its folder. */
const shortOf = (path: string) => path.slice(path.lastIndexOf("/") + 1);
