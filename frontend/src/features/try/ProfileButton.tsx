/** Sends the request and finds out where its time goes in the programs. */
import { Flame } from "lucide-react";
import type { GetModelResponse } from "../../api/conch_pb";
import { tryOf, useTries } from "../../requests/tries";
import { Button } from "../../ui/Button";
import { runsProcesses } from "../../workspace/workers";
import { useWorkspace } from "../../workspace/workspace";
import { send } from "./send";

export function ProfileButton({ model, details }: { model: string; details: GetModelResponse | undefined }) {
  const running = useTries((state) => tryOf(model)(state).running);
  const runs = useWorkspace(({ models }) => details?.summary && runsProcesses(details.summary, models));
  if (!details || !runs) return null;
  return (
    <Button
      small
      look="ghost"
      needs="engine"
      icon={<Flame />}
      data-profile=""
      aria-label="Profile this request"
      title={`Profile this request: sends it, and shows where its time goes in ${details.summary?.ensemble ? "the programs of its steps" : "the program"}`}
      disabled={running !== undefined}
      onClick={() => void send(details, "profile")}
    />
  );
}
