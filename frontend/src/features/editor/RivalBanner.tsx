import { FileDiff, TriangleAlert } from "lucide-react";
import { useState } from "react";
import { useStore } from "zustand";
import { describeError } from "../../api/errors";
import { Banner } from "../../ui/Banner";
import { Button } from "../../ui/Button";
import { DiffDialog } from "./DiffDialog";
import type { Session } from "./session";

/** Two unsaved texts of the file met: what was typed here, and what an earlier run left. */
export function RivalBanner({ session }: { session: Session }) {
  const rival = useStore(session.store, (state) => state.rival);
  const [comparing, setComparing] = useState(false);
  const [failed, setFailed] = useState("");
  if (!rival) return null;
  const { path } = session.file;
  const drop = () => session.dropRival().catch((error: unknown) => setFailed(describeError(error).message));
  return (
    <Banner
      icon={<TriangleAlert aria-hidden="true" />}
      actions={
        <>
          <Button small look="ghost" icon={<FileDiff />} onClick={() => setComparing(true)}>
            Show difference
          </Button>
          <Button small needs="app" onClick={session.takeRival}>
            Take the earlier
          </Button>
          <Button small needs="app" onClick={() => void drop()}>
            Keep this one
          </Button>
        </>
      }
    >
      {failed || `An earlier run left another unsaved text of ${path}; both are kept until you choose`}
      <DiffDialog
        path={path}
        other="From the earlier run"
        open={comparing}
        onClose={() => setComparing(false)}
        disk={rival.text}
        mine={comparing ? session.text() : ""}
        take={{ label: "Take the earlier text", run: session.takeRival }}
        keep={{ label: "Keep mine", run: () => void drop() }}
      />
    </Banner>
  );
}
