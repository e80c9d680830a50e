/** The files of a folder that was dropped, as far as the browser lets the page read them. */

import type { Placed } from "../../workspace/sending";

const mostFiles = 2000; // as the program takes

/** What was dropped with a folder among it: files and folders. It has to be asked for while the drop is handled. */
export function folderIn(items: DataTransferItemList): { folder?: FileSystemDirectoryEntry; all: string[] } {
  const entries = [...items].flatMap((item) => item.webkitGetAsEntry?.() ?? []);
  const folder = entries.find(({ isDirectory }) => isDirectory) as FileSystemDirectoryEntry | undefined;
  return { folder, all: entries.map(({ name, isDirectory }) => (isDirectory ? `${name}/` : name)) };
}

/** All files of a folder and of those in it. Fails where the browser does not let the page read it. */
export async function filesIn(folder: FileSystemDirectoryEntry, path = ""): Promise<Placed[]> {
  const found: Placed[] = [];
  for (const entry of await entriesOf(folder)) {
    const at = path + entry.name;
    if (entry.isDirectory) found.push(...(await filesIn(entry as FileSystemDirectoryEntry, `${at}/`)));
    else found.push({ path: at, file: await fileOf(entry as FileSystemFileEntry) });
    if (found.length > mostFiles) throw new Error(`it has more than ${mostFiles.toLocaleString("en")} files`);
  }
  return found;
}

/** A reader gives the entries in parts; an empty part is the end. */
async function entriesOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (part.length === 0) return all;
    all.push(...part);
  }
}

const fileOf = (entry: FileSystemFileEntry): Promise<File> =>
  new Promise((resolve, reject) => entry.file(resolve, reject));
