import { ConnectError } from "@connectrpc/connect";
import { clients } from "../api/client";
import { OpenInsteadSchema, type OpenRepositoryResponse } from "../api/conch_pb";
import { describeError } from "../api/errors";
import { native } from "../window/native";
import { toast, toastError } from "../window/toasts";

/** The system's own folder dialog, where there is one. */
export function folderPicker(title: string): (() => Promise<string>) | undefined {
  const pick = native()?.PickFolder;
  return pick && (() => pick(title));
}

/** Why a folder was not opened, and one that can be opened instead where it is known. */
export interface Refusal {
  why: string;
  instead?: string;
}

/** The newest attempt of this window to open a repository. It ends with the repository's id, or with "" where it failed. */
let newest: Promise<string> = Promise.resolve("");

/** Whether this window opened a repository itself. An attempt that is under way is waited for. */
export const isOpenedHere = async (repository: string): Promise<boolean> => (await newest) === repository;

async function ask(open: () => Promise<OpenRepositoryResponse>): Promise<void> {
  const answer = open();
  newest = answer.then(
    ({ id }) => id,
    () => "",
  );
  await answer;
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
  toast({
    level: "error",
    text: `${path} was not opened`,
    detail: why,
    action,
    names: [path, instead ?? ""],
  });
}

/** Opens the user's copy of the examples. */
export async function openExamples(): Promise<void> {
  try {
    await ask(() => clients.workspace.openExamples({}));
  } catch (error) {
    toastError("The examples were not opened", error);
  }
}
