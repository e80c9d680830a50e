import { File, FileText, Folder, FolderOpen } from "lucide-react";
import { useState } from "react";
import type { ModelFile } from "../../api/conch_pb";
import { useModel } from "../../api/queries";
import { cx } from "../../lib/cx";
import { bytes, moment } from "../../lib/format";
import { Empty } from "../../ui/Empty";
import { MiddleTruncate } from "../../ui/MiddleTruncate";
import { Split } from "../../window/Split";
import { useKeptScroll } from "../../window/useKeptScroll";
import { ErrorBox } from "../../workspace/ErrorBox";
import { AddHere } from "./AddHere";
import { FileText as FileContent } from "./FileText";
import css from "./files.module.css";

const isFolder = ({ path }: ModelFile) => path.endsWith("/");

interface FileTableProps {
  files: ModelFile[];
  selected: string | undefined;
  onSelect: (path: string) => void;
}

function FileTable({ files, selected, onSelect }: FileTableProps) {
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
        </tr>
      </thead>
      <tbody>
        {files.map((file) => (
          <tr key={file.path} className={cx(file.path === selected && css.selected)}>
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
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** What lies in the model's folder; text files can be read here, and files added. */
export function FilesView({ model }: { model: string }) {
  const { data, error, refetch } = useModel(model);
  const [selected, setSelected] = useState<string>();
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
  const table = (
    <AddHere model={model} files={files} off={!isReal}>
      {data && files.length === 0 ? (
        <Empty icon={<FolderOpen />} title="The folder is empty">
          A model needs a version folder, such as 1, with the model file in it, and in most cases a
          config.pbtxt.
        </Empty>
      ) : (
        <div ref={kept} className={css.page}>
          <FileTable files={files} selected={selected} onSelect={setSelected} />
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
