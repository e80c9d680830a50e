/** Files that the web view of the desktop window keeps from the page: newer ones of WebKitGTK tell of an address alone. */

import { visible } from "../../lib/visible";
import { openDialog } from "../../window/dialogs";
import { type DroppedFile, native } from "../../window/native";
import { toast } from "../../window/toasts";
import type { Placed } from "../../workspace/sending";
import { takeDroppedFolder } from "./newModel";

/** Whether such files are held over the page or dropped. What is dragged within the page looks the same. */
export const isKeptBack = ({ dataTransfer }: DragEvent): boolean =>
  native() !== undefined && dataTransfer?.files.length === 0 && dataTransfer.types.includes("text/uri-list");

/** Gets the files from the program, and drops them once more where they were dropped. */
export async function dropAgain(target: EventTarget | null): Promise<void> {
  const dropped = (await native()?.Dropped()) ?? [];
  const without = dropped.find(({ address }) => address === "");
  if (dropped.length === 0 || without) return tell(without);
  let files: Placed[];
  try {
    files = await Promise.all(dropped.map(read));
  } catch {
    return tell();
  }
  const [folder, inside] = dropped[0]?.path.split("/", 2) ?? [];
  if (folder && inside) return takeDroppedFolder(folder, files);
  const event = new Event("drop", { bubbles: true, cancelable: true });
  const dataTransfer = { types: ["Files"], files: files.map(({ file }) => file), items: [] };
  (target ?? document.body).dispatchEvent(Object.assign(event, { dataTransfer }));
}

async function read({ path, address }: DroppedFile): Promise<Placed> {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(await answer.text());
  const name = path.slice(path.lastIndexOf("/") + 1);
  return {
    path: path.slice(path.indexOf("/") + 1),
    file: new File([await answer.blob()], name, { type: typeOf(name) }),
  };
}

const TYPES = { png: "png", jpg: "jpeg", jpeg: "jpeg", gif: "gif", webp: "webp", bmp: "bmp" };

/** The type of a picture by its name, as browsers tell it. */
function typeOf(name: string): string {
  const end = name.slice(name.lastIndexOf(".") + 1).toLowerCase();
  return end in TYPES ? `image/${TYPES[end as keyof typeof TYPES]}` : "";
}

/** Says that a drop brought no file, and offers the way that does. */
function tell(without?: DroppedFile): void {
  toast({
    level: "warning",
    text: without ? `${visible(without.path)} cannot be dropped here` : "The dropped file did not arrive",
    names: without ? [visible(without.path)] : [],
    detail: without
      ? "The web view of this system takes no more than 512 MiB and 256 files by dropping. Choose the file instead, or copy it into the repository's folder."
      : "The web view of this system keeps dropped files from the window. Choose the file instead.",
    action: { label: "New model from a file", run: () => openDialog("newModel") },
  });
}
