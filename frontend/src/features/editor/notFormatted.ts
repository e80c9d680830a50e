import { describeError } from "../../api/errors";
import { toast } from "../../window/toasts";

/** Says why a text could not be formatted. */
export function notFormatted(error: unknown): void {
  toast({ level: "error", text: "The text was not formatted", detail: describeError(error).message });
}
