import type { Span } from "../lib/range";
import { setWhose } from "./asked";
import { goToRepository } from "./place";

/** Shows the requests that the ports refused: those of one model where it is named, and those of a time where it is given. */
export function showRefused(model = "", within?: Span): void {
  setWhose("refused", model, within);
  goToRepository("requests");
}
