import { useEffect, useRef, useState } from "react";
import type { ConversionEvent, ConversionReport } from "../../api/conch_pb";

/** What a running call has told so far. */
export interface Heard {
  readonly step: string;
  readonly done: number;
  readonly of: number;
  readonly log: readonly string[];
}

const nothing: Heard = { step: "starting", done: 0, of: 0, log: [] };
const mostLines = 500;

const heardNext = (before: Heard, { step, done, of, log }: ConversionEvent): Heard => ({
  ...(step === "" ? before : { step, done, of }),
  log: log === "" ? before.log : [...before.log, log].slice(-mostLines),
});

type Call = (signal: AbortSignal) => AsyncIterable<ConversionEvent>;

/** Follows a call that tells its progress. It ends when the dialog is closed, and then nothing is left of it. */
export function useEvents() {
  const [heard, setHeard] = useState<Heard>();
  const [error, setError] = useState<unknown>();
  const [log, setLog] = useState<readonly string[]>([]);
  const call = useRef<AbortController>(undefined);
  useEffect(() => () => call.current?.abort(), []);
  const begin = async (of: Call, onDone: (report?: ConversionReport) => void) => {
    const controller = new AbortController();
    call.current = controller;
    let now = nothing;
    let report: ConversionReport | undefined;
    setError(undefined);
    setHeard(now);
    try {
      for await (const event of of(controller.signal)) {
        report = event.report ?? report;
        now = heardNext(now, event);
        setHeard(now);
      }
      onDone(report);
    } catch (problem) {
      if (!controller.signal.aborted) setError(problem);
    } finally {
      setLog(now.log);
      setHeard(undefined);
    }
  };
  return {
    heard,
    error,
    log,
    begin: (of: Call, onDone: (report?: ConversionReport) => void) => void begin(of, onDone),
    cancel: () => call.current?.abort(),
    /** What the last call came to is not shown any more. */
    forget: () => {
      setError(undefined);
      setLog([]);
    },
  };
}
