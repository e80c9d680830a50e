import { setWhose } from "./asked";
import { goToRepository } from "./place";

/** Shows the requests that the ports refused: those of one model where it is named. */
export function showRefused(model = ""): void {
  setWhose("refused", model);
  goToRepository("requests");
}
