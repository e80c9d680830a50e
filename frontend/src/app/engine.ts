import { clients } from "../api/client";
import { type Engine, Engine_State } from "../api/conch_pb";
import { describeError } from "../api/errors";
import { clock } from "../lib/format";
import { toast } from "../window/toasts";
import type { Connection } from "../workspace/workspace";

export type EngineTone = "ok" | "busy" | "err";

/** The engine in two words and a colour. A lost connection says nothing of the engine. */
export function engineStatus(
  engine: Engine | undefined,
  connection: Connection,
  away = false,
): { word: string; tone: EngineTone } {
  if (connection === "refused") return { word: "No access", tone: "err" };
  if (connection === "lost") return { word: "Reconnecting", tone: "busy" };
  if (engine?.remote) return remoteStatus(engine);
  switch (engine?.state) {
    case Engine_State.READY:
      if (engine.loading) return { word: "Engine loading", tone: "busy" };
      return away ? { word: "Serving, folder away", tone: "busy" } : { word: "Engine ready", tone: "ok" };
    case Engine_State.RESTARTING:
      return { word: "Engine restarting", tone: "busy" };
    case Engine_State.SILENT:
      return { word: "Engine does not answer", tone: "err" };
    case Engine_State.STOPPED:
      return { word: "Engine stopped", tone: "err" };
    default:
      return { word: "Engine starting", tone: "busy" };
  }
}

function remoteStatus({ state, remote }: Engine): { word: string; tone: EngineTone } {
  if (state === Engine_State.READY) return { word: "Server answers", tone: "ok" };
  if (state === Engine_State.STARTING) return { word: "Connecting", tone: "busy" };
  const since = remote?.awaySince ? ` since ${clock(remote.awaySince)}` : "";
  return { word: `Server away${since}`, tone: "err" };
}

/** Who does not answer, and where; undefined of the engine here, and while a server is first asked. */
export function remoteOutage({ state, remote }: Engine): string | undefined {
  if (!remote || state !== Engine_State.SILENT) return undefined;
  const { name, address } = remote;
  return address.includes(name) ? `${address} does not answer` : `${name} does not answer at ${address}`;
}

/** Whether nothing but a restart may help. A server elsewhere is tried again by itself. */
export const wantsRestart = (engine: Engine | undefined): boolean =>
  !engine?.remote && (engine?.state === Engine_State.SILENT || engine?.state === Engine_State.STOPPED);

/** Ends the engine, however it is, and has another started. */
export async function restartEngine(): Promise<void> {
  try {
    await clients.workspace.restartEngine({});
  } catch (error) {
    toast({
      level: "error",
      text: "The engine was not restarted",
      detail: describeError(error).message,
      about: "engine",
    });
  }
}

/** The port of an address: "127.0.0.1:8000" is "8000". */
export const port = (address: string): string => address.slice(address.lastIndexOf(":") + 1);
