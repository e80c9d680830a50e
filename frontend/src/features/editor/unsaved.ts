import { useDrafts } from "../../stores/drafts";
import type { FileId } from "./fileId";

/** The texts of other files that are being edited: what is asked about this one is judged beside them. */
export const othersUnsaved = ({ model }: FileId) =>
  [...useDrafts.getState().drafts.values()]
    .filter((draft) => draft.model !== model && draft.path.endsWith(".pbtxt"))
    .map(({ model, path, text }) => ({ model, path, text }));
