/** Files that are chosen for an input, or dropped on it in whatever way it is given now. */
import { useRef, useState } from "react";
import { visible } from "../../lib/visible";
import { fittedTo } from "../../requests/fileParts";
import type { TensorFile } from "../../requests/tryDrafts";
import type { InputProps } from "./inputProps";
import { readFiles } from "./readFiles";

export type How = "replace" | "add";

export type Files = {
  readonly take: (chosen: readonly File[], how: How) => Promise<void>;
  readonly refuse: (problem: string) => void; // what was dropped cannot be taken
  readonly put: (files: readonly TensorFile[]) => void;
};

export function useFiles(props: InputProps): Files {
  const newest = useRef(props);
  newest.current = props;
  const before = useRef<Promise<void>>(Promise.resolve());
  const put = (next: readonly TensorFile[]) => {
    const { slot, draft, onChange } = newest.current;
    const { batch, ...fitted } = fittedTo(slot, draft, next);
    onChange({ source: "file", skip: false, files: next, ...fitted }, batch);
  };
  const refuse = (refused: string) => newest.current.onChange({ refused });
  const read = async (chosen: readonly File[], how: How) => {
    try {
      const files = await readFiles(chosen, newest.current.slot.spec.datatype);
      put(how === "add" ? [...(newest.current.draft.files ?? []), ...files] : files);
    } catch (error) {
      refuse((error as Error).message);
    }
  };
  // Large files take a while to be read: what was chosen last is put last.
  const take = (chosen: readonly File[], how: How) => {
    if (chosen.length > 0) before.current = before.current.then(() => read(chosen, how));
    return before.current;
  };
  return { take, refuse, put };
}

/** The name of a folder among what was dropped; a browser offers it as a file that cannot be read. */
function folderAmong(items: DataTransferItemList | undefined): string | undefined {
  for (const item of items ?? []) {
    const entry = item.webkitGetAsEntry?.();
    if (entry?.isDirectory) return visible(entry.name);
  }
  return undefined;
}

/** What an input does with files that are dropped on it. They join those of a batch that is not full. */
export function useDrop({ slot, draft }: InputProps, { take, refuse }: Files) {
  const [over, setOver] = useState(false);
  const has = draft.source === "file" ? (draft.files?.length ?? 0) : 0;
  const short = slot.batch !== undefined && has > 0 && has < slot.batch;
  const ends = (event: React.DragEvent) => {
    event.preventDefault();
    event.stopPropagation();
    setOver(false);
  };
  return {
    "data-over": over,
    onDragOver: (event: React.DragEvent) => {
      if (!event.dataTransfer.types.includes("Files")) return; // text is dropped into fields as ever
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: () => setOver(false),
    onDrop: (event: React.DragEvent) => {
      if (event.dataTransfer.files.length === 0) return;
      ends(event);
      const folder = folderAmong(event.dataTransfer.items);
      if (folder !== undefined)
        return refuse(
          `${folder} is a folder. An input takes files: open the folder, and drop the files in it`,
        );
      void take([...event.dataTransfer.files], short ? "add" : "replace");
    },
  };
}
