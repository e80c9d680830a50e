/** Files that are chosen for an input, or dropped on it in whatever way it is given now. */
import { useRef, useState } from "react";
import { visible } from "../../lib/visible";
import { fittedTo } from "../../requests/fileParts";
import { getTry } from "../../requests/tries";
import { fitDraft, type InputDraft, type Slot, type TensorFile } from "../../requests/tryDrafts";
import { openedRepository } from "../../workspace/workspace";
import { changeInput } from "./changeInput";
import type { InputProps } from "./inputProps";
import { readFiles } from "./readFiles";

export type How = "replace" | "add";

export type Files = {
  readonly take: (chosen: readonly File[], how: How) => Promise<void>;
  readonly refuse: (problem: string) => void; // what was dropped cannot be taken
  readonly put: (files: readonly TensorFile[]) => void;
};

export function useFiles(model: string, props: InputProps): Files {
  const newest = useRef({ model, ...props });
  newest.current = { model, ...props };
  const before = useRef<Promise<void>>(Promise.resolve());
  const put = (next: readonly TensorFile[]) => {
    const { slot, draft, onChange } = newest.current;
    const { batch, ...changed } = given(slot, draft, next);
    onChange(changed, batch);
  };
  const refuse = (refused: string) => newest.current.onChange({ refused });
  // Large files take a while to be read: what was chosen last is put last, each where it was chosen, whatever is shown by then.
  const take = (chosen: readonly File[], how: How) => {
    const at = { model, slot: props.slot, repository: openedRepository() };
    const slotNow = () => (newest.current.model === model ? newest.current.slot : at.slot);
    if (chosen.length > 0) before.current = before.current.then(() => read(chosen, how, at, slotNow));
    return before.current;
  };
  return { take, refuse, put };
}

type Where = { readonly model: string; readonly slot: Slot; readonly repository: string };

/** Reads files, and gives them to the input that they were chosen for. Another repository has no such input. */
async function read(chosen: readonly File[], how: How, at: Where, slotNow: () => Slot): Promise<void> {
  const ended = await readFiles(chosen, at.slot.spec.datatype).catch((error: Error) => error);
  if (at.repository !== openedRepository()) return;
  const slot = slotNow();
  const draft = draftNow(at.model, slot);
  if (ended instanceof Error) return changeInput(at.model, slot.spec.name, draft, { refused: ended.message });
  const { batch, ...changed } = given(
    slot,
    draft,
    how === "add" ? [...(draft.files ?? []), ...ended] : ended,
  );
  changeInput(at.model, slot.spec.name, draft, changed, batch);
}

const draftNow = (model: string, slot: Slot): InputDraft =>
  fitDraft(slot, getTry(model).inputs[slot.spec.name]);

/** What changes of an input that is given as files. */
const given = (slot: Slot, draft: InputDraft, files: readonly TensorFile[]) => ({
  source: "file" as const,
  skip: false,
  files,
  ...fittedTo(slot, draft, files),
});

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
