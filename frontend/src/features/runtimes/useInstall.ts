import { useEffect, useRef, useState } from "react";
import { clients } from "../../api/client";
import { openDialog } from "../../window/dialogs";
import { toast } from "../../window/toasts";

/** An install that runs: what happens, and how much has come. */
export interface Running {
  readonly text: string;
  readonly bytes: bigint;
}

/** What is installed: an offer by its name, or what is in a folder, under a name or that of its package. */
export interface Wanted {
  readonly name: string;
  readonly from?: string;
}

const kept = "What has come of a download is kept for a week: Install goes on from there.";

/** Nobody sees any more that it was stopped: a notice says so, and leads back. */
const tellStopped = ({ name, from }: Wanted): void =>
  toast({
    level: "info",
    text: from
      ? `Nothing was installed from ${from}: the dialog was closed`
      : `${name} was not installed: the dialog was closed`,
    detail: from ? undefined : kept,
    names: [from ?? name],
    action: { label: "ONNX Runtime…", run: () => openDialog("runtimes") },
  });

/** Installs a build; the call ends with the dialog, and then no build is left half made. onDone gets the name of the build and what to say of it; "" where none was made. */
export function useInstall(onDone: (name: string, text: string) => void) {
  const [running, setRunning] = useState<Running>();
  const [failed, setFailed] = useState<unknown>();
  const [stopped, setStopped] = useState(false);
  const call = useRef<AbortController>(undefined);
  const wanted = useRef<Wanted>(undefined); // while it runs
  useEffect(
    () => () => {
      call.current?.abort();
      if (wanted.current) tellStopped(wanted.current);
    },
    [],
  );
  const begin = async (what: Wanted) => {
    const controller = new AbortController();
    call.current = controller;
    const { signal } = controller;
    wanted.current = what;
    setFailed(undefined);
    setStopped(false);
    setRunning({ text: "starting", bytes: 0n });
    let done: { installed: string; before: boolean } | undefined;
    try {
      for await (const event of clients.workspace.installRuntime(what, { signal })) {
        const { text, bytes: come, installed } = event;
        if (installed !== "") done = event;
        setRunning((now) => ({ text: text || (now?.text ?? ""), bytes: come || (now?.bytes ?? 0n) }));
      }
    } catch (error) {
      if (signal.aborted) setStopped(true);
      else setFailed(error);
    } finally {
      wanted.current = undefined;
      setRunning(undefined);
    }
    const text = done && `${done.installed} ${done.before ? "was installed before" : "is installed"}`;
    onDone(done?.installed ?? "", text ?? ""); // also a download that was stopped has left something
  };
  return {
    running,
    failed,
    stopped,
    begin: (what: Wanted) => void begin(what),
    cancel: () => call.current?.abort(),
  };
}
