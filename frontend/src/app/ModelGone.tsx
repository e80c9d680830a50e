import { SearchX } from "lucide-react";
import { useEffect, useState } from "react";
import { useShallow } from "zustand/react/shallow";
import type { DraftInfo } from "../api/conch_pb";
import { visible } from "../lib/visible";
import { Button } from "../ui/Button";
import { Empty } from "../ui/Empty";
import { goToRepository } from "../window/place";
import { draftsIn, fileOf } from "../workspace/drafts";
import { useWorkspace } from "../workspace/workspace";
import { DraftText } from "./DraftText";
import css from "./ModelGone.module.css";

/** A model that is just being renamed is back before anybody could read this. */
const GONE_AFTER_MS = 400;

/** The page of a name that is not in the repository now. */
export function ModelGone({ model }: { model: string }) {
  const [sure, setSure] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSure(true), GONE_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  const was = useWorkspace((state) => state.gone.has(model));
  const drafts = useWorkspace(useShallow((state) => draftsIn(state).filter((one) => one.model === model)));
  const edited = drafts.length > 0;
  if (!sure) return null;
  return (
    <div className={css.page}>
      <Empty
        icon={<SearchX />}
        title={`There is no model "${visible(model)}"`}
        action={<Button onClick={() => goToRepository()}>Show the repository</Button>}
      >
        {whatBecame(was, edited)}
      </Empty>
      {drafts.map((draft) => (
        <Unsaved key={fileOf(draft)} draft={draft} />
      ))}
    </div>
  );
}

/** A text that was never saved can be read and copied, though its folder is not there. */
function Unsaved({ draft }: { readonly draft: DraftInfo }) {
  return (
    <section className={css.unsaved} aria-label={`Unsaved ${fileOf(draft)}`}>
      <h3 className="mono">{fileOf(draft)}</h3>
      <DraftText draft={draft} />
    </section>
  );
}

/** What is known of a model that is not there; nothing of a name that never was a model. */
function whatBecame(was: boolean, edited: boolean): string | undefined {
  if (edited)
    return "Its folder was removed or renamed. Unsaved text is kept and comes back with the folder.";
  return was ? "Its folder was removed or renamed." : undefined;
}
