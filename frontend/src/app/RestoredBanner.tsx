import { History, X } from "lucide-react";
import { useState } from "react";
import { useShallow } from "zustand/react/shallow";
import { count } from "../lib/format";
import { Banner } from "../ui/Banner";
import { Button } from "../ui/Button";
import { openDialog } from "../window/dialogs";
import { discard, fileOf, restoredIn } from "../workspace/drafts";
import { useWorkspace } from "../workspace/workspace";

const NAMED = 3;

/** What an earlier run left unsaved is back. It lies over nothing, and goes when it is closed or nothing of it is left. */
export function RestoredBanner() {
  const restored = useWorkspace(useShallow(restoredIn));
  const occasion = useWorkspace(({ drafts, repository }) => `${drafts?.run} ${repository?.id}`);
  const [closed, setClosed] = useState("");
  if (restored.length === 0 || closed === occasion) return null;
  const names = restored.slice(0, NAMED).map(fileOf).join(", ");
  const more = restored.length > NAMED ? ` and ${restored.length - NAMED} more` : "";
  return (
    <Banner
      tone="note"
      icon={<History aria-hidden="true" />}
      label="Unsaved changes were brought back"
      actions={
        <>
          <Button small onClick={() => openDialog("unsaved")}>
            Show
          </Button>
          <Button small needs="app" onClick={() => void discard(restored)}>
            Discard
          </Button>
          <Button small look="ghost" aria-label="Close" icon={<X />} onClick={() => setClosed(occasion)} />
        </>
      }
    >
      Unsaved changes in {count(restored.length, "file")} were brought back: {names}
      {more}.
    </Banner>
  );
}
