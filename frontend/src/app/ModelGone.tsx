import { SearchX } from "lucide-react";
import { useEffect, useState } from "react";
import { visible } from "../lib/visible";
import { Button } from "../ui/Button";
import { Empty } from "../ui/Empty";
import { goToRepository } from "../window/place";
import { hasDraft } from "../workspace/drafts";
import { useWorkspace } from "../workspace/workspace";

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
  const edited = useWorkspace((state) => hasDraft(state, model));
  if (!sure) return null;
  return (
    <Empty
      icon={<SearchX />}
      title={`There is no model "${visible(model)}"`}
      action={<Button onClick={() => goToRepository()}>Show the repository</Button>}
    >
      {whatBecame(was, edited)}
    </Empty>
  );
}

/** What is known of a model that is not there; nothing of a name that never was a model. */
function whatBecame(was: boolean, edited: boolean): string | undefined {
  if (edited)
    return "Its folder was removed or renamed. Unsaved text is kept and comes back with the folder.";
  return was ? "Its folder was removed or renamed." : undefined;
}
