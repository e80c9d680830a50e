/** Sends the request and finds out where its time goes in the programs. */
import { Flame } from "lucide-react";
import type { GetModelResponse } from "../../api/conch_pb";
import { tryOf, useTries } from "../../requests/tries";
import { Button } from "../../ui/Button";
import { hasProcesses } from "../../workspace/workers";
import { send } from "./send";

export function ProfileButton({ model, details }: { model: string; details: GetModelResponse | undefined }) {
  const running = useTries((state) => tryOf(model)(state).running);
  if (!details?.summary || !hasProcesses(details.summary)) return null;
  return (
    <Button
      small
      look="ghost"
      needs="engine"
      icon={<Flame />}
      data-profile=""
      aria-label="Profile this request"
      title="Profile this request: sends it, and shows where its time goes in the program"
      disabled={running !== undefined}
      onClick={() => void send(details, "profile")}
    />
  );
}
