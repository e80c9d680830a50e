import { clients } from "../api/client";
import { describeError } from "../api/errors";
import { goToRepository } from "./place";
import { toast } from "./toasts";

/** What Wails binds in the desktop window; absent in a browser. */
interface DesktopWindow {
  go?: { desktop?: { Native?: { PickFolder?: () => Promise<string> } } };
}

/** The system's own folder dialog, where there is one. */
export function folderPicker(): (() => Promise<string>) | undefined {
  return (window as unknown as DesktopWindow).go?.desktop?.Native?.PickFolder;
}

/** Opens another repository. Resolves with the sentence that says why not, or with nothing. */
export async function tryOpenRepository(path: string): Promise<string | undefined> {
  try {
    await clients.workspace.openRepository({ path });
    goToRepository();
    return undefined;
  } catch (error) {
    return describeError(error).message;
  }
}

/** The same from a menu, where a refusal has no place of its own. */
export async function openRepository(path: string): Promise<void> {
  const refused = await tryOpenRepository(path);
  if (refused) toast({ level: "error", text: `${path} was not opened`, detail: refused });
}
