import { useEffect, useRef } from "react";
import { tryOf, useTries } from "../../requests/tries";
import { closeDetail } from "./selection";

/** The pane that the detail lies over says why a request was not sent: the key for it works here, too. */
export function useGivesWay(model: string): void {
  const { undone, answer } = useTries(tryOf(model));
  const told = useRef({ undone, failure: answer?.failure });
  useEffect(() => {
    const before = told.current;
    const failure = answer?.failure;
    told.current = { undone, failure };
    if ((undone && undone !== before.undone) || (failure && failure !== before.failure)) closeDetail(model);
  }, [model, undone, answer]);
}
