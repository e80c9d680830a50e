import { configDrafts } from "../../stores/unsavedProblems";
import type { FileId } from "./fileId";

/** Those of other files than this one: what is asked about it is judged beside them. */
export const othersUnsaved = (file: FileId) =>
  configDrafts().filter(({ model, path }) => model !== file.model || path !== file.path);
