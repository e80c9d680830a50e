import { Ellipsis, File, FileText, Folder, FolderOpen, Pencil, Trash2 } from "lucide-react";
import { type KeyboardEvent, useState } from "react";
import type { ModelFile } from "../../api/conch_pb";
import { useModel } from "../../api/queries";
import { cx } from "../../lib/cx";
import { bytes, moment } from "../../lib/format";
import { Button } from "../../ui/Button";
import { Empty } from "../../ui/Empty";
import { Menu, type MenuGroups } from "../../ui/Menu";
import { MiddleTruncate } from "../../ui/MiddleTruncate";
import { askDelete } from "../../window/dialogs";
import { isPress, listKeys, readable } from "../../window/keys";
import { openFile } from "../../window/openFiles";
import { Split } from "../../window/Split";
import { useKeptScroll } from "../../window/useKeptScroll";
import { ErrorBox } from "../../workspace/ErrorBox";
import { whyOff } from "../../workspace/workspace";
import { AddHere } from "./AddHere";
import { FileText as FileContent } from "./FileText";
import css from "./files.module.css";

const isFolder = ({ path }: ModelFile) => path.endsWith("/");

/** The folder of the model that a path lies in, such as a version. */
const folderOf = (path: string) => /^[^/]+(?=\/)/.exec(path)?.[0];
const isVersion = (folder: string) => /^[1-9]\d*$/.test(folder);

/** What can be done with a file, or with the version or other folder that it lies in. */
function fileMenu(model: string, { path, text, outside }: ModelFile): MenuGroups {
  const folder = folderOf(path);
  const edit = { label: "Edit", icon: <Pencil />, onSelect: () => openFile(model, path) };
  const remove = (label: string, what: string) => ({
    label,
    icon: <Trash2 />,
    needs: "app" as const,
    onSelect: () => askDelete(model, what),
  });
  return [
    text ? [edit] : [],
    [
      ...(path.endsWith("/") || outside
        ? []
        : [{ ...remove("Delete…", path), shortcut: readable(listKeys.remove) }]),
      ...(folder === undefined
        ? []
        : [remove(`Delete ${isVersion(folder) ? "version" : "folder"} ${folder}…`, folder)]),
    ],
  ];
}

interface FileTableProps {
  model: string;
  /** There are files here, and not on a server alone. */
  real: boolean;
  files: ModelFile[];
  selected: string | undefined;
  onSelect: (path: string) => void;
}

function FileTable({ model, real, files, selected, onSelect }: FileTableProps) {
  const onKey = (event: KeyboardEvent, { path, outside }: ModelFile) => {
    if (!real || outside || !isPress(event, listKeys.remove) || whyOff("app") !== undefined) return;
    event.preventDefault();
    askDelete(model, path);
  };
  return (
    <table className={css.table}>
      <thead>
        <tr>
          <th>File</th>
          <th className={cx("num", css.size)}>Size</th>
          <th className={cx("num", css.changed)}>Changed</th>
          <th className={css.noteColumn}>
            <span className="visually-hidden">Note</span>
          </th>
          {real && (
            <th className={css.menuColumn}>
              <span className="visually-hidden">Actions</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {files.map((file) => (
          <tr
            key={file.path}
            className={cx(file.path === selected && css.selected)}
            onKeyDown={(event) => onKey(event, file)}
          >
            <td>
              {file.text ? (
                <button type="button" className={css.open} onClick={() => onSelect(file.path)}>
                  <FileText aria-hidden="true" />
                  <MiddleTruncate text={file.path} />
                </button>
              ) : (
                <span className={css.open}>
                  {isFolder(file) ? <Folder aria-hidden="true" /> : <File aria-hidden="true" />}
                  <MiddleTruncate text={file.path} />
                </span>
              )}
            </td>
            <td className="num">{!isFolder(file) && bytes(file.size)}</td>
            <td className="num dim">{!isFolder(file) && moment(file.modified)}</td>
            <td className={css.note} title={file.note}>
              {file.note}
            </td>
            {real && (
              <td className={css.menu}>
                <Menu
                  align="end"
                  groups={fileMenu(model, file)}
                  trigger={
                    <Button small look="ghost" aria-label={`More for ${file.path}`} icon={<Ellipsis />} />
                  }
                />
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** What lies in the model's folder; text files can be read here, and files added. */
export function FilesView({ model }: { model: string }) {
  const { data, error, refetch } = useModel(model);
  const [chosen, setSelected] = useState<string>();
  const kept = useKeptScroll<HTMLDivElement>(`files ${model}`);
  if (error && !data) {
    return (
      <div className={css.page}>
        <ErrorBox title="Conch could not list the files" error={error} onRetry={() => void refetch()} />
      </div>
    );
  }
  const files = data?.files ?? [];
  const isReal = data?.summary?.servedOnly === false;
  const selected = files.some(({ path }) => path === chosen) ? chosen : undefined;
  const table = (
    <AddHere model={model} files={files} off={!isReal}>
      {data && files.length === 0 ? (
        <Empty icon={<FolderOpen />} title="The folder is empty">
          A model needs a version folder, such as 1, with the model file in it, and in most cases a
          config.pbtxt.
        </Empty>
      ) : (
        <div ref={kept} className={css.page}>
          <FileTable model={model} real={isReal} files={files} selected={selected} onSelect={setSelected} />
        </div>
      )}
    </AddHere>
  );
  if (selected === undefined) return table;
  return (
    <Split
      name="files"
      label="Width of the file"
      fixed="second"
      size={460}
      min={240}
      rest={320}
      first={table}
      second={
        <FileContent key={selected} model={model} path={selected} onClose={() => setSelected(undefined)} />
      }
    />
  );
}
