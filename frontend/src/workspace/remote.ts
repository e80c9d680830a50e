import { create } from "zustand";
import { clients } from "../api/client";
import type { RemoteServer } from "../api/conch_pb";
import { queryClient } from "../api/queries";
import { closeDialog, openDialog } from "../window/dialogs";
import { toastError } from "../window/toasts";
import { useWorkspace, type WorkspaceState } from "./workspace";

/** The server elsewhere that serves now; undefined for the engine of this machine. */
export const selectRemote = ({ engine }: WorkspaceState): RemoteServer | undefined => engine?.remote;

export const useRemote = (): RemoteServer | undefined => useWorkspace(selectRemote);

/** Shows a server, or with "" the engine of this machine. Unsaved texts stay as they are. */
export async function attachServer(name: string): Promise<boolean> {
  try {
    await clients.servers.attach({ name });
    await queryClient.invalidateQueries(); // all answers were of what was shown before
    return true;
  } catch (error) {
    toastError(name === "" ? "This machine is not shown" : `${name} is not shown`, error);
    return false;
  }
}

/** What is asked before it is done on a server that is not on this machine. */
interface Question {
  what: string;
  server: string;
  answer: (agreed: boolean) => void;
}

export const useControlQuestion = create<{ question?: Question }>(() => ({}));

/** The server on which a person wants something done, "" for this machine; undefined where they do not. Only a question takes time. */
export function agreedServer(what: string): string | Promise<string | undefined> {
  const remote = selectRemote(useWorkspace.getState());
  if (!remote || remote.here) return remote?.name ?? "";
  return new Promise((resolve) => {
    useControlQuestion.getState().question?.answer(false);
    const answer = (agreed: boolean) => {
      useControlQuestion.setState({ question: undefined });
      closeDialog();
      resolve(agreed ? remote.name : undefined);
    };
    useControlQuestion.setState({ question: { what, server: remote.name, answer } });
    openDialog("confirmControl");
  });
}
