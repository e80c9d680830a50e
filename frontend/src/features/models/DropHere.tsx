import { FileDown } from "lucide-react";
import { useWorkspace } from "../../workspace/workspace";
import css from "./NewModelDialog.module.css";
import { useModelDrop } from "./useModelDrop";

/** Takes files that are dropped anywhere on the window, and says so while one is held over it. */
export function DropHere() {
  const open = useWorkspace(({ repository }) => (repository?.roots.length ?? 0) > 0);
  const over = useModelDrop(open);
  if (!over) return null;
  return (
    <div className={css.over}>
      <span>
        <FileDown aria-hidden="true" />
        Drop a model file, or the folder of a model, to add it
      </span>
    </div>
  );
}
