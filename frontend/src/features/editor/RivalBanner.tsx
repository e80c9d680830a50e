import { useState } from "react";
import { useStore } from "zustand";
import { describeError } from "../../api/errors";
import type { Session } from "./session";
import { TwoTexts } from "./TwoTexts";

/** Two unsaved texts of the file met: what was typed here, and what an earlier run left. */
export function RivalBanner({ session }: { session: Session }) {
  const rival = useStore(session.store, (state) => state.rival);
  const [failed, setFailed] = useState("");
  if (!rival) return null;
  const { path } = session.file;
  const lose = () => session.dropRival().catch((error: unknown) => setFailed(describeError(error).message));
  return (
    <TwoTexts
      session={session}
      other={{
        text: rival.text,
        name: "From the earlier run",
        lose: "Drop the earlier text",
        onLose: () => void lose(),
      }}
      onDrop={session.takeRival}
    >
      {failed || `An earlier run left another unsaved text of ${path}; both are kept until you choose`}
    </TwoTexts>
  );
}
