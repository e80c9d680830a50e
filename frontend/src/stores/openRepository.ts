import { ConnectError } from "@connectrpc/connect";
import { clients } from "../api/client";
import { OpenInsteadSchema } from "../api/conch_pb";
import { describeError } from "../api/errors";
import { toast } from "./toasts";

/** What Wails binds in the desktop window; absent in a browser. */
interface DesktopWindow {
  go?: { desktop?: { Native?: { PickFolder?: () => Promise<string> } } };
}

/** The system's own folder dialog, where there is one. */
export function folderPicker(): (() => Promise<string>) | undefined {
  return (window as unknown as DesktopWindow).go?.desktop?.Native?.PickFolder;
}

/** Why a folder was not opened, and one that can be opened instead where it is known. */
export interface Refusal {
  why: string;
  instead?: string;
}

/** Whether another repository was asked for here: one that is opened in another window comes as a surprise. */
let asked = false;

/** Says whether the repository that is open now was asked for here, once. */
export function takeAsked(): boolean {
  const was = asked;
  asked = false;
  return was;
}

async function ask(open: () => Promise<unknown>): Promise<void> {
  asked = true;
  try {
    await open();
  } catch (error) {
    asked = false;
    throw error;
  }
}

/** Opens another repository; its page is shown when the workspace tells of it. Resolves with why not, or with nothing. */
export async function tryOpenRepository(path: string): Promise<Refusal | undefined> {
  try {
    await ask(() => clients.workspace.openRepository({ path }));
    return undefined;
  } catch (error) {
    const [instead] = ConnectError.from(error).findDetails(OpenInsteadSchema);
    return { why: describeError(error).message, instead: instead?.path };
  }
}

/** The same from a menu, where a refusal has no place of its own. */
export async function openRepository(path: string): Promise<void> {
  const refused = await tryOpenRepository(path);
  if (!refused) return;
  const { why, instead } = refused;
  const action = instead ? { label: `Open ${instead}`, run: () => void openRepository(instead) } : undefined;
  toast({ level: "error", text: `${path} was not opened`, detail: why, action });
}

/** Opens the user's copy of the examples. */
export async function openExamples(): Promise<void> {
  try {
    await ask(() => clients.workspace.openExamples({}));
  } catch (error) {
    toast({ level: "error", text: "The examples were not opened", detail: describeError(error).message });
  }
}
