// What the open repository, and the clients of its engine, may do.
import { clients } from "../api/client";
import { Access_Trust, type OwnCode } from "../api/conch_pb";
import { toastError } from "../window/toasts";
import { useWorkspace, type WorkspaceState } from "./workspace";

const NONE: readonly OwnCode[] = [];

/** What models would run of their own. */
export const selectCode = (state: WorkspaceState) => state.repository?.access?.code ?? NONE;
export const selectTrust = (state: WorkspaceState) =>
  state.repository?.access?.trust ?? Access_Trust.UNSPECIFIED;
export const selectOverrides = (state: WorkspaceState) => state.repository?.access?.overrides ?? false;
export const selectStrictGpu = (state: WorkspaceState) => state.repository?.access?.strictGpu ?? false;

/** Whether the banner above the page asks for trust, and offers it. */
export const selectAsksTrust = (state: WorkspaceState): boolean =>
  selectTrust(state) === Access_Trust.UNSPECIFIED && selectCode(state).length > 0;

interface Change {
  trust?: Access_Trust;
  overrides?: boolean;
  strictGpu?: boolean;
}

/** Tells whether it was changed; where not, people have been told. */
async function change(what: Change, failed: string): Promise<boolean> {
  const roots = useWorkspace.getState().repository?.roots ?? [];
  try {
    await clients.workspace.setAccess({ roots, ...what });
    return true;
  } catch (error) {
    toastError(failed, error);
    return false;
  }
}

export const trustRepository = (trusted: boolean) =>
  change({ trust: trusted ? Access_Trust.TRUSTED : Access_Trust.NOT_TRUSTED }, "The answer was not saved");

/** Whether models that ask for GPUs which are not there are refused; it counts for loads from now on. */
export const refuseMissingGpus = (strictGpu: boolean) => change({ strictGpu }, "The setting was not changed");

export const takeConfigs = (overrides: boolean) => change({ overrides }, "The setting was not changed");
