import { clients } from "../../api/client";
import type { SaveFileResponse } from "../../api/conch_pb";
import type { FileId } from "./fileId";
import type { Kept } from "./kept";

interface Asked extends FileId {
  text: string;
  baseVersion: string;
  /** Of the text, among those that are asked about. */
  number: bigint;
}

/** Saves a text into the repository that it was read from, unless another window made something else of it. */
export async function saveText(asked: Asked, kept: Kept): Promise<SaveFileResponse> {
  const message = { ...asked, repository: kept.repository(), writer: kept.writer() };
  const answer = await clients.editor.saveFile({ ...message, since: kept.version() });
  if (!answer.newer || !kept.isOwn(answer.newer.text)) return answer;
  // The app was started again, and has the text from here without knowing that.
  return clients.editor.saveFile({ ...message, since: answer.newer.version });
}
