import { toastError } from "../../window/toasts";

/** Says why a text could not be formatted. */
export function notFormatted(error: unknown): void {
  toastError("The text was not formatted", error);
}
