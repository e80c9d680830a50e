import { useEffect, useRef, useState } from "react";
import { clients } from "../../api/client";
import type { RuntimeOffer } from "../../api/conch_pb";
import { megabytes } from "../../lib/format";
import { Button } from "../../ui/Button";
import { Row } from "../../ui/Rows";
import { toastError } from "../../window/toasts";

/** An install that runs: what happens, and how much has come. */
interface Running {
  text: string;
  bytes: bigint;
}

/** Installs a build; the call ends with the dialog, and then no build is left half made. */
function useInstall(name: string, onDone: () => void) {
  const [running, setRunning] = useState<Running>();
  const call = useRef<AbortController>(undefined);
  useEffect(() => () => call.current?.abort(), []);
  const begin = async () => {
    const controller = new AbortController();
    call.current = controller;
    const { signal } = controller;
    setRunning({ text: "starting", bytes: 0n });
    try {
      for await (const { text, bytes: come } of clients.workspace.installRuntime({ name }, { signal })) {
        setRunning((before) => ({
          text: text || (before?.text ?? ""),
          bytes: come || (before?.bytes ?? 0n),
        }));
      }
      onDone();
    } catch (error) {
      if (!signal.aborted) toastError(`${name} was not installed`, error);
    } finally {
      setRunning(undefined);
    }
  };
  return { running, begin: () => void begin(), cancel: () => call.current?.abort() };
}

/** A build that can be installed: what it is, what it needs, and how much comes. */
export function Offer({ of, onDone }: { of: RuntimeOffer; onDone: () => void }) {
  const { running, begin, cancel } = useInstall(of.name, onDone);
  const [asked, setAsked] = useState(false);
  return (
    <Row
      what={
        <>
          <strong className="mono">{of.name}</strong>
          <span>Runs models on {of.runs}</span>
          {of.needs && <small>Needs {of.needs}</small>}
          {of.unfit && <small>Does not run here: {of.unfit}</small>}
          {of.absent && <small>Not from a package: {of.absent}</small>}
          {asked && !running && (
            <small>
              pip downloads {of.package} ({of.weight}) from where it is configured to.
            </small>
          )}
          {running && (
            <small role="status">
              {running.text}
              {running.bytes > 0n && ` · ${megabytes(running.bytes)} of ${of.weight}`}
            </small>
          )}
        </>
      }
    >
      {running ? (
        <Button small onClick={cancel}>
          Cancel
        </Button>
      ) : asked ? (
        <Button
          small
          needs="app"
          onClick={() => {
            setAsked(false);
            begin();
          }}
        >
          Download {of.weight}
        </Button>
      ) : (
        <Button
          small
          needs="app"
          disabled={of.absent !== ""}
          title={of.absent || undefined}
          onClick={() => setAsked(true)}
        >
          Install…
        </Button>
      )}
    </Row>
  );
}
