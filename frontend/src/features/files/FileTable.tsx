/** The files of a model; of very many only the rows in view are drawn. */
import { useVirtualizer } from "@tanstack/react-virtual";
import { Ellipsis, File, FileText, Folder, FolderInput, Pencil, Trash2 } from "lucide-react";
import { type KeyboardEvent, type RefObject, useLayoutEffect, useRef, useState } from "react";
import type { ModelFile } from "../../api/conch_pb";
import { cx } from "../../lib/cx";
import { bytes, moment } from "../../lib/format";
import { Button } from "../../ui/Button";
import { Menu, type MenuGroups } from "../../ui/Menu";
import { MiddleTruncate } from "../../ui/MiddleTruncate";
import { TableGap } from "../../ui/TableGap";
import { askDelete, askRename } from "../../window/dialogs";
import { isPress, keys, listKeys, readable } from "../../window/keys";
import { openFile } from "../../window/openFiles";
import { whyOff } from "../../workspace/workspace";
import css from "./files.module.css";

/** So many rows are drawn without a pause; the search of the browser then finds them all. */
const mostDrawn = 200;

const rowHeight = 36; // --row-table

const isFolder = ({ path }: ModelFile) => path.endsWith("/");

/** The folder of the model that a path lies in, such as a version. */
const folderOf = (path: string) => /^[^/]+(?=\/)/.exec(path)?.[0];
const isVersion = (folder: string) => /^[1-9]\d*$/.test(folder);

/** What can be done with a file, or with the version or other folder that it lies in. */
function fileMenu(model: string, { path, text, outside }: ModelFile): MenuGroups {
  const folder = folderOf(path);
  const edit = { label: "Edit", icon: <Pencil />, onSelect: () => openFile(model, path) };
  const rename = {
    label: "Rename or move…",
    icon: <FolderInput />,
    needs: "app" as const,
    shortcut: readable(keys.rename),
    onSelect: () => askRename(model, path),
  };
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
        : [rename, { ...remove("Delete…", path), shortcut: readable(listKeys.remove) }]),
      ...(folder === undefined
        ? []
        : [remove(`Delete ${isVersion(folder) ? "version" : "folder"} ${folder}…`, folder)]),
    ],
  ];
}

type Props = {
  readonly model: string;
  readonly real: boolean; // there are files here, and not on a server alone
  readonly files: readonly ModelFile[];
  readonly selected: string | undefined;
  readonly onSelect: (path: string) => void;
};

export function FileTable({ files, ...row }: Props) {
  const table = useRef<HTMLTableSectionElement>(null);
  const { items, above, below } = useRows(files.length, table);
  return (
    <table className={css.table} aria-rowcount={files.length + 1}>
      <thead>
        <tr>
          <th>File</th>
          <th className={cx("num", css.size)}>Size</th>
          <th className={cx("num", css.changed)}>Changed</th>
          <th className={css.noteColumn}>
            <span className="visually-hidden">Note</span>
          </th>
          {row.real && (
            <th className={css.menuColumn}>
              <span className="visually-hidden">Actions</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody ref={table}>
        <TableGap height={above} />
        {items.map((index) => {
          const file = files[index];
          return file && <FileRow key={file.path} {...row} file={file} index={index} />;
        })}
        <TableGap height={below} />
      </tbody>
    </table>
  );
}

/** The rows that are drawn: all of a short list. */
function useRows(
  count: number,
  rows: RefObject<HTMLElement | null>,
): { readonly items: readonly number[]; readonly above: number; readonly below: number } {
  const many = count > mostDrawn;
  const [margin, setMargin] = useState(0); // what lies above the rows in what scrolls
  useLayoutEffect(() => setMargin(rows.current?.offsetTop ?? 0), [rows]);
  const virtual = useVirtualizer({
    count: many ? count : 0,
    getScrollElement: () => rows.current?.closest("table")?.parentElement ?? null,
    estimateSize: () => rowHeight,
    overscan: 12,
    scrollMargin: margin,
  });
  if (!many) return { items: Array.from({ length: count }, (_, i) => i), above: 0, below: 0 };
  const items = virtual.getVirtualItems();
  const above = (items[0]?.start ?? margin) - margin;
  const below = virtual.getTotalSize() - ((items.at(-1)?.end ?? margin) - margin);
  return { items: items.map(({ index }) => index), above, below };
}

type RowProps = Omit<Props, "files"> & { readonly file: ModelFile; readonly index: number };

function FileRow({ model, real, file, index, selected, onSelect }: RowProps) {
  const onKey = (event: KeyboardEvent) => {
    const renames = isPress(event, keys.rename) && !isFolder(file);
    if (!real || file.outside || !(renames || isPress(event, listKeys.remove)) || whyOff("app") !== undefined)
      return;
    event.preventDefault();
    if (renames) askRename(model, file.path);
    else askDelete(model, file.path);
  };
  return (
    <tr className={cx(file.path === selected && css.selected)} aria-rowindex={index + 2} onKeyDown={onKey}>
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
            trigger={<Button small look="ghost" aria-label={`More for ${file.path}`} icon={<Ellipsis />} />}
          />
        </td>
      )}
    </tr>
  );
}
