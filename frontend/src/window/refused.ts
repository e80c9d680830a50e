import type { Span } from "../lib/range";
import { setFailed, setWhose } from "./asked";
import { goToRepository } from "./place";

/** Shows the requests that the ports refused: those of one model where it is named, and those of a time where it is given. */
export function showRefused(model = "", within?: Span): void {
  setWhose("refused", model, within);
  goToRepository("requests");
}

/** Shows the requests that this window sent to a model. */
export function showSent(model: string): void {
  setWhose("sent", model);
  goToRepository("requests");
}

/** Shows the requests that ran and failed, those of one model where it is named, wherever they were sent. */
export function showFailed(model = ""): void {
  setFailed(model);
  goToRepository("requests");
}
