import { History, X } from "lucide-react";
import { create } from "zustand";
import { useShallow } from "zustand/react/shallow";
import { count } from "../lib/format";
import { Banner } from "../ui/Banner";
import { Button } from "../ui/Button";
import { openDialog } from "../window/dialogs";
import { discard, fileOf, restoredIn } from "../workspace/drafts";
import { useWorkspace } from "../workspace/workspace";

const NAMED = 3;

/** What was closed stays closed where the page is laid out again, as it is when the window gets narrow. */
const useClosed = create<{ occasion: string }>(() => ({ occasion: "" }));

/** What an earlier run left unsaved is back. It lies over nothing, and goes when it is closed or looked at, or when nothing of it is left. */
export function RestoredBanner() {
  const restored = useWorkspace(useShallow(restoredIn));
  const occasion = useWorkspace(({ drafts, repository }) => `${drafts?.run} ${repository?.id}`);
  const isClosed = useClosed((closed) => closed.occasion === occasion);
  if (restored.length === 0 || isClosed) return null;
  const close = () => useClosed.setState({ occasion });
  const show = () => {
    close();
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
          <Button small look="ghost" aria-label="Close" icon={<X />} onClick={close} />
        </>
      }
    >
      Unsaved changes in {count(restored.length, "file")} were brought back: {names}
      {more}.
    </Banner>
  );
}
