import { Bug, Check, Copy } from "lucide-react";
import { useState } from "react";
import { clients } from "../../api/client";
import type { Worker } from "../../api/conch_pb";
import { copyText } from "../../lib/clipboard";
import { Button } from "../../ui/Button";
import { ErrorBox } from "../../workspace/ErrorBox";
import { reloadModel } from "../../workspace/modelActions";
import css from "./debug.module.css";

/** The debugger of a process: where it listens, and the entry that attaches VS Code to it. */
export function Debugger({ worker }: { worker: Worker }) {
  const [busy, setBusy] = useState(false);
  const [copied, setCopied] = useState("");
  const [failure, setFailure] = useState<unknown>();
  const ask = async (then?: (launch: string) => Promise<void>) => {
    setBusy(true);
    setFailure(undefined);
    try {
      const { launch } = await clients.models.debug({ worker: worker.name });
      await then?.(launch);
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };
  const copy = () =>
    ask(async (launch) => {
      await copyText(launch);
      setCopied(worker.debugger);
    });
  const { model = "", leaving = 0 } = worker.name ?? {};
  const isCopied = copied === worker.debugger;
  if (leaving && worker.debugger === "") return null;
  return (
    <div className={css.debugger}>
      {worker.debugger === "" ? (
        <>
          <Button
            small
            needs="engine"
            icon={<Bug />}
            disabled={busy || worker.pid === 0}
            onClick={() => void ask()}
          >
            Start the debugger
          </Button>
          <span className="dim">
            It listens on this machine only. It needs debugpy in the model's interpreter.
          </span>
        </>
      ) : (
        <>
          <span>
            Listens for a debugger at <b className="mono">{worker.debugger}</b>
          </span>
          <Button small icon={isCopied ? <Check /> : <Copy />} disabled={busy} onClick={() => void copy()}>
            {isCopied ? "Copied" : "Copy the entry for VS Code"}
          </Button>
          {leaving ? (
            <span className="dim">
              The model was loaded again or unloaded. This process ends when its request does: continue in the
              debugger, or interrupt it here.
            </span>
          ) : (
            <>
              <Button
                small
                needs="engine"
                title="Loads the model again, in processes without a debugger"
                onClick={() => void reloadModel(model)}
              >
                Stop the debugger
              </Button>
              <span className="dim">
                Attach, set breakpoints, then send a request. It waits for you without a time limit.
              </span>
            </>
          )}
        </>
      )}
      {failure !== undefined && <ErrorBox title="The debugger was not started" error={failure} />}
    </div>
  );
}
