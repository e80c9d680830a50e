/** Sends files of the person's machine to the program, in pieces. */
import { clients } from "../api/client";
import { bytes } from "../lib/format";
import { openedRepository } from "./workspace";

/** A file, and its path where it goes. */
export interface Placed {
  path: string;
  file: File;
}

export interface Sending {
  /** The name of the whole model folder that is sent; "" for files alone. */
  folder: string;
  /** Whether somebody still waits for it. */
  wanted: () => boolean;
  /** Told as soon as the program has a name for it. */
  begun: (upload: string) => void;
  /** Told after each piece: how many bytes the program has. */
  sent: (bytes: number) => void;
}

/** Forgets files that were sent. They are discarded at the program's end anyway. */
export const discardUpload = (upload: string) =>
  void clients.models.discardUpload({ upload }).catch(() => undefined);

/** Sends files, and resolves with the program's name for them; undefined where nobody waits any more. */
export async function sendFiles(files: readonly Placed[], sending: Sending): Promise<string | undefined> {
  const { folder, wanted, begun } = sending;
  const size = files.reduce((sum, { file }) => sum + file.size, 0);
  const { upload, pieceBytes, maxBytes } = await clients.models.beginUpload({
    repository: openedRepository(),
    folder,
  });
  if (!wanted()) {
    discardUpload(upload);
    return undefined;
  }
  begun(upload);
  if (size > maxBytes)
    throw new Error(
      `${bytes(size)} are too much to send; copy the files into the repository's folder instead`,
    );
  let before = 0;
  for (const placed of files) {
    await sendFile(upload, placed, pieceBytes, { ...sending, sent: (done) => sending.sent(before + done) });
    before += placed.file.size;
  }
  return wanted() ? upload : undefined;
}

async function sendFile(
  upload: string,
  { path, file }: Placed,
  piece: number,
  { wanted, sent }: Sending,
): Promise<void> {
  for (let at = 0; at === 0 || at < file.size; at += piece) {
    if (!wanted()) return;
    const data = new Uint8Array(await file.slice(at, at + piece).arrayBuffer());
    await clients.models.writeUpload({ upload, file: path, offset: BigInt(at), data });
    sent(at + data.length);
  }
}
