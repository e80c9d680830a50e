import { ServerOff } from "lucide-react";
import type { ReactNode } from "react";
import { Empty } from "../ui/Empty";
import { useRemote } from "./remote";

/** What is shown instead of something that only Conch's own engine tells, while a server elsewhere is shown. */
export function Untold({ what, children }: { what: string; children: ReactNode }) {
  const remote = useRemote();
  if (!remote) return children;
  return (
    <Empty icon={<ServerOff />} title={`A remote server does not tell ${what}`}>
      {remote.name} is shown. The engine of this machine tells it: choose "This machine" at the top of the
      window.
    </Empty>
  );
}
