import { ConnectError } from "@connectrpc/connect";
import { create } from "zustand";
import { clients } from "../../api/client";
import { type DraftModelResponse, SeveralModelsSchema } from "../../api/conch_pb";
import { count } from "../../lib/format";
import { visible } from "../../lib/visible";
import { openDialog } from "../../window/dialogs";
import { toast } from "../../window/toasts";
import { discardUpload, type Placed, sendFiles } from "../../workspace/sending";
import { isData, tellWhereDataGoes } from "./droppedData";
import { filesIn, folderIn } from "./droppedFolder";

/** The files that a new model is made of. */
export interface Taken {
  names: readonly string[];
  /** Bytes that the program has, and all of them. */
  sent: number;
  size: number;
  /** Names them to the program, from the first answer on. */
  upload?: string;
  /** What they become; undefined until all are sent. */
  draft?: DraftModelResponse;
  /** Why they cannot be a model. */
  error?: unknown;
  /** What was chosen, unless it is a folder. */
  files?: readonly File[] | undefined;
  /** Of files of several models: those of each. */
  each?: readonly (readonly File[])[];
}

interface NewModel {
  taken?: Taken;
  /** What was chosen together with it, for other models: files of each, which come next. */
  next?: readonly (readonly File[])[];
}

/** What was chosen or dropped for a new model; nothing for a model that begins without a file. */
export const useNewModel = create<NewModel>(() => ({}));

/** Each choice takes the place of the one before, whose sending then ends. */
let turn = 0;

const isNow = (mine: number) => mine === turn;

function change(mine: number, part: Partial<Taken>): void {
  if (isNow(mine)) useNewModel.setState(({ taken }) => ({ taken: taken && { ...taken, ...part } }));
}

/** Forgets the files, here and in the program. */
export function discardFiles(): void {
  turn++;
  const upload = useNewModel.getState().taken?.upload;
  useNewModel.setState({ taken: undefined, next: undefined });
  if (upload) discardUpload(upload);
}

/** The files have become a model: there is nothing to discard any more. What was chosen with them for other models is offered. */
export function forgetFiles(): void {
  turn++;
  const { next = [] } = useNewModel.getState();
  useNewModel.setState({ taken: undefined, next: undefined });
  if (next.length > 0) offer(next);
}

function offer(next: readonly (readonly File[])[]): void {
  const names = next.flatMap(([first]) => first?.name ?? []);
  const run = () => {
    openDialog("newModel");
    void takeFirst(next);
  };
  toast({
    level: "info",
    names,
    text: `${names.join(", ")} came with it, for ${names.length === 1 ? "another model" : "other models"}`,
    action: { label: `Make a model of ${names[0]}`, run },
  });
}

/** Takes the files of the first of several models; the others come after it. */
export async function takeFirst([first = [], ...next]: readonly (readonly File[])[]): Promise<void> {
  const sent = takeFiles(first);
  useNewModel.setState({ next });
  await sent;
}

/** Sends files to the program, which says what model they would make. */
export async function takeFiles(files: readonly File[]): Promise<void> {
  if (files.length === 0) return;
  const names = files.map(({ name }) => name);
  await take(
    names,
    files.map((file) => ({ path: file.name, file })),
    "",
  );
}

async function take(names: readonly string[], files: readonly Placed[], folder: string): Promise<void> {
  discardFiles();
  const mine = turn;
  const size = files.reduce((sum, { file }) => sum + file.size, 0);
  const chosen = folder === "" ? files.map(({ file }) => file) : undefined;
  useNewModel.setState({ taken: { names, sent: 0, size, files: chosen } });
  try {
    const upload = await sendFiles(files, {
      folder,
      wanted: () => isNow(mine),
      begun: (upload) => change(mine, { upload }),
      sent: (sent) => change(mine, { sent }),
    });
    if (upload) change(mine, { draft: await clients.models.draftModel({ upload }) });
  } catch (error) {
    change(mine, { error, each: eachOf(error, files) });
  }
}

/** The files of each model, where they are those of several: a model file, and what belongs to none of them alone. */
function eachOf(error: unknown, files: readonly Placed[]): (readonly File[])[] | undefined {
  const [several] = ConnectError.from(error).findDetails(SeveralModelsSchema);
  const shared = files.filter(({ path }) => !several?.files.includes(path));
  return several?.files.map((name) =>
    [...files.filter(({ path }) => path === name), ...shared].map(({ file }) => file),
  );
}

/** Sends the whole folder of a model, such as one of another repository. */
async function takeFolder(folder: FileSystemDirectoryEntry): Promise<void> {
  discardFiles();
  const mine = turn;
  useNewModel.setState({ taken: { names: [folder.name], sent: 0, size: 0 } });
  let files: Placed[] = [];
  try {
    files = await filesIn(folder);
  } catch (failure) {
    const why = (failure as Error).message;
    const error = `The folder ${folder.name} could not be read here: ${why}. Copy it into the repository's folder instead: it is then listed and loaded.`;
    return change(mine, { error });
  }
  if (isNow(mine)) await take([`${folder.name}/`], files, folder.name);
}

/** Says that of several things with a folder among them no one model is made. */
function refuse(names: readonly string[]): void {
  discardFiles();
  const error = "A new model is one folder, or the files of one model. Drop one after the other.";
  useNewModel.setState({ taken: { names, sent: 0, size: 0, error } });
}

/** Takes the files of a folder that was dropped on the window, and opens the dialog with it. */
export function takeDroppedFolder(folder: string, files: readonly Placed[]): void {
  openDialog("newModel");
  void take([`${folder}/`], files, folder);
}

/** Takes what was dropped on the window, and opens the dialog with it. */
export function takeDrop({ items, files }: DataTransfer): void {
  const { folder, all } = folderIn(items);
  if (!folder && files.length > 0 && [...files].every(isData)) {
    tellWhereDataGoes(files[0]?.name ?? "");
    return;
  }
  openDialog("newModel");
  if (folder && all.length > 1) refuse(all);
  else void (folder ? takeFolder(folder) : takeFiles([...files]));
}

/** Says that what was dropped was not taken, where nothing can be sent. */
export function tellNotTaken(files: FileList, why: string): void {
  const name = visible(files[0]?.name ?? "What was dropped");
  const [text, names, them] =
    files.length > 1
      ? [`${count(files.length, "file")} were not taken`, [], "them"]
      : [`${name} was not taken`, [name], "it"];
  toast({ level: "warning", text, names, detail: `${why}. Drop ${them} again when that has changed.` });
}
