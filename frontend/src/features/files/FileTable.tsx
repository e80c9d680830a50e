/** The files of a model; of very many only the rows in view are drawn. */
import { useVirtualizer } from "@tanstack/react-virtual";
import { Ellipsis, File, FileText, Folder, FolderInput, Pencil, Trash2 } from "lucide-react";
import {
  type KeyboardEvent,
  type MouseEvent,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import type { ModelFile } from "../../api/conch_pb";
import { cx } from "../../lib/cx";
import { bytes, moment } from "../../lib/format";
import { Button } from "../../ui/Button";
import { Menu, type MenuGroups } from "../../ui/Menu";
import { MiddleTruncate } from "../../ui/MiddleTruncate";
import { TableGap } from "../../ui/TableGap";
import { useRowFocus } from "../../ui/useRowFocus";
import { askDelete, askRename, dialogIsOpen } from "../../window/dialogs";
import { isPress, keys, listKeys, readable } from "../../window/keys";
import { editFile } from "../../window/openFiles";
import { hasDraft } from "../../workspace/drafts";
import { useWorkspace, whyOff } from "../../workspace/workspace";
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
  const edit = { label: "Edit", icon: <Pencil />, onSelect: () => editFile(model, path) };
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
  const { items, above, below, scrollTo } = useDrawn(files.length, table);
  const focus = useRowFocus(table, files.length, scrollTo);
  const selected = files.find(({ path }) => path === row.selected);
  useRenameKey(row.model, row.real ? selected : undefined, table);
  const noted = files.some(({ note }) => note !== "");
  const reached = items.includes(focus.at) ? focus.at : items[0];
  return (
    <table className={css.table} aria-rowcount={files.length + 1}>
      <thead>
        <tr>
          <th>File</th>
          <th className={cx("num", css.size)}>Size</th>
          <th className={cx("num", css.changed)}>Changed</th>
          {noted && (
            <th className={css.noteColumn}>
              <span className="visually-hidden">Note</span>
            </th>
          )}
          {row.real && (
            <th className={css.menuColumn}>
              <span className="visually-hidden">Actions</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody ref={table} onKeyDown={focus.onKeyDown}>
        <TableGap height={above} />
        {items.map((index) => {
          const file = files[index];
          return (
            file && (
              <FileRow
                key={file.path}
                {...row}
                file={file}
                index={index}
                noted={noted}
                tabbable={index === reached}
                onFocus={focus.setAt}
              />
            )
          );
        })}
        <TableGap height={below} />
      </tbody>
    </table>
  );
}

type Drawn = {
  readonly items: readonly number[];
  readonly above: number;
  readonly below: number;
  readonly scrollTo?: (index: number) => void; // a short list needs none
};

/** The rows that are drawn: all of a short list. */
function useDrawn(count: number, rows: RefObject<HTMLElement | null>): Drawn {
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
  return { items: items.map(({ index }) => index), above, below, scrollTo: virtual.scrollToIndex };
}

/** Asks for the new path of a file, where it can have one. The model's name, which the key means elsewhere, is not meant here. */
function rename(event: Pick<Event, "preventDefault">, model: string, file: ModelFile): void {
  event.preventDefault();
  if (!isFolder(file) && !file.outside && whyOff("app") === undefined) askRename(model, file.path);
}

/** F2 means the file that is selected also where no row has the focus, such as in its text or after a click beside the table. */
function useRenameKey(
  model: string,
  file: ModelFile | undefined,
  table: RefObject<HTMLElement | null>,
): void {
  useEffect(() => {
    if (!file) return;
    const onKey = (event: globalThis.KeyboardEvent) => {
      const at = event.target instanceof Element ? event.target : document.body;
      const isHere = at === document.body || table.current?.closest("[role=tabpanel]")?.contains(at);
      if (isHere && !event.defaultPrevented && isPress(event, keys.rename) && !dialogIsOpen())
        rename(event, model, file);
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [model, file, table]);
}

type RowProps = Omit<Props, "files"> & {
  readonly file: ModelFile;
  readonly index: number;
  readonly noted: boolean; // some file has a note
  readonly tabbable: boolean; // the row that Tab reaches; arrows go on from there
  readonly onFocus: (index: number) => void;
};

const kindIcon = (file: ModelFile) => (file.text ? FileText : isFolder(file) ? Folder : File);

function FileRow(props: RowProps) {
  const { model, real, file, index, noted, selected, onSelect, tabbable, onFocus } = props;
  const Icon = kindIcon(file);
  const edited = useWorkspace((state) => hasDraft(state, model, file.path));
  const onKey = (event: KeyboardEvent) => {
    if (!real) return;
    if (isPress(event, keys.rename)) return rename(event, model, file);
    if (file.outside || !isPress(event, listKeys.remove) || whyOff("app") !== undefined) return;
    event.preventDefault();
    askDelete(model, file.path);
  };
  const onClick = (event: MouseEvent<HTMLElement>) => {
    const at = event.target as Element;
    if (!event.currentTarget.contains(at) || at.closest(`.${css.menu}`)) return; // what its menu does
    event.currentTarget.querySelector<HTMLElement>("button")?.focus();
    onSelect(file.path);
  };
  return (
    <tr
      className={cx(css.row, file.path === selected && css.selected)}
      aria-rowindex={index + 2}
      aria-current={file.path === selected || undefined}
      onKeyDown={onKey}
      onClick={onClick}
    >
      <td>
        <button
          type="button"
          className={css.open}
          tabIndex={tabbable ? 0 : -1}
          data-index={index}
          onFocus={() => onFocus(index)}
        >
          <Icon aria-hidden="true" />
          <MiddleTruncate text={file.path} />
          {edited && <span className={css.edited} role="img" aria-label="not saved" title="Not saved" />}
        </button>
      </td>
      <td className="num">{!isFolder(file) && bytes(file.size)}</td>
      <td className="num dim">{!isFolder(file) && moment(file.modified)}</td>
      {noted && (
        <td className={css.note} title={file.note}>
          {file.note}
        </td>
      )}
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
