import { create } from "zustand";
import type { Span } from "../lib/range";

/** Which requests the page of requests lists: those of this window, or those of clients that the ports refused. */
export type Whose = "sent" | "refused";

/** What a command asks of a part that may have to be shown first. */
interface Asked {
  /** Of the editor of the model on the screen, which takes it up once its text is there. */
  editor?: "search" | "outline" | "type" | "effective" | "compare";
  /** Undefined: that of the two lists which has requests that failed. */
  whose: Whose | undefined;
  /** Of which model the page of requests lists them; all when "". This and the next two are shown there, and go when it is left. */
  requestsOf: string;
  /** In which time the refused ones must have come, where the list is to have no others, nor what failed when it ran. */
  refusedIn?: Span | undefined;
  /** Whether only requests that ran and failed are listed of the clients, and only failed ones of this window. */
  failed: boolean;
  notices: boolean;
}

export const useAsked = create<Asked>(() => ({
  whose: "sent",
  requestsOf: "",
  failed: false,
  notices: false,
}));

export const askEditor = (editor: Asked["editor"]): void => useAsked.setState({ editor });
export const setWhose = (whose: Whose, requestsOf = "", refusedIn?: Span): void =>
  useAsked.setState({ whose, requestsOf, refusedIn, failed: false });
/** What failed of a model, or of all when "": in the list that has it where none is named. */
export const setFailed = (requestsOf: string, whose?: Whose): void =>
  useAsked.setState({ whose, requestsOf, refusedIn: undefined, failed: true });
/** Another list of the page, chosen there. It is of the same model. */
export const chooseList = (whose: Whose): void =>
  useAsked.setState({ whose, refusedIn: undefined, failed: false });
export const setOnlyFailed = (failed: boolean): void => useAsked.setState({ failed });
export const ofAllModels = (): void => useAsked.setState({ requestsOf: "" });
export const ofAllTimes = (): void => useAsked.setState({ refusedIn: undefined });
/** Who comes back to the page by another way finds all requests there. */
export const leaveRequests = (): void =>
  useAsked.setState(({ whose = "sent" }) => ({ whose, requestsOf: "", refusedIn: undefined, failed: false }));
export const showNotices = (notices: boolean): void => useAsked.setState({ notices });
