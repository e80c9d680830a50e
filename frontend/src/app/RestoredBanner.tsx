import { History, X } from "lucide-react";
import { useEffect, useState } from "react";
import { useShallow } from "zustand/react/shallow";
import { count } from "../lib/format";
import { Banner } from "../ui/Banner";
import { Button } from "../ui/Button";
import { openDialog } from "../window/dialogs";
import { discard, fileOf, restoredIn } from "../workspace/drafts";
import { useWorkspace } from "../workspace/workspace";

const NAMED = 3;

/** The status bar counts unsaved texts for as long as there are some; the banner says it once. */
const SHOWN_MS = 60_000;

/**
 * What an earlier run left unsaved is back. It lies over nothing, and goes after a minute, when it
 * is closed or looked at, or when nothing of it is left.
 */
export function RestoredBanner() {
  const restored = useWorkspace(useShallow(restoredIn));
  const occasion = useWorkspace(({ drafts, repository }) => `${drafts?.run} ${repository?.id}`);
  const [closed, setClosed] = useState("");
  const isShown = restored.length > 0 && closed !== occasion;
  useEffect(() => {
    if (!isShown) return;
    const timer = setTimeout(() => setClosed(occasion), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isShown, occasion]);
  if (!isShown) return null;
  const show = () => {
    setClosed(occasion);
    openDialog("unsaved");
  };
  const names = restored.slice(0, NAMED).map(fileOf).join(", ");
  const more = restored.length > NAMED ? ` and ${restored.length - NAMED} more` : "";
  return (
    <Banner
      tone="note"
      icon={<History aria-hidden="true" />}
      label="Unsaved changes were brought back"
      actions={
        <>
          <Button small onClick={show}>
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
