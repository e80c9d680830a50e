import { clients } from "../../api/client";
import type { SaveFileResponse } from "../../api/conch_pb";
import type { FileId } from "./fileId";
import type { Kept } from "./kept";

interface Asked extends FileId {
  text: string;
  baseVersion: string;
  overwrite: boolean;
}

/** Saves a text into the repository that it was read from, unless another window made something else of it. */
export async function saveText(asked: Asked, kept: Kept): Promise<SaveFileResponse> {
  const repository = kept.repository();
  const answer = await clients.editor.saveFile({ ...asked, repository, since: kept.version() });
  if (!answer.newer || !kept.isOwn(answer.newer.text)) return answer;
  // The newer text is from here: the app has taken it, and the answer is still on its way.
  return clients.editor.saveFile({ ...asked, repository, since: answer.newer.version });
}
