import { Access_Trust, Engine_State, ModelState, type Notice, type WorkspaceUpdate } from "../api/conch_pb";
import { type Cause, settle } from "../window/toasts";
import { forgetUnloaded, settleLoads, settleRefusals } from "../workspace/modelActions";
import { selectCode, selectTrust } from "../workspace/trust";
import type { WorkspaceState } from "../workspace/workspace";
import { wantsRestart } from "./engine";

/** What a notice is about. */
export const causeOf = ({ cause }: Notice): Cause | undefined =>
  cause === "" ? undefined : (cause as Cause);

/** Whether the banner asks for trust in what this model runs. */
export const asksTrustFor = (state: WorkspaceState, name: string): boolean =>
  selectTrust(state) === Access_Trust.UNSPECIFIED && selectCode(state).some(({ model }) => model === name);

/** The models of an update that serve and did not before, or were loaded again since. */
function nowServing(before: WorkspaceState, { models }: WorkspaceUpdate): string[] {
  return models
    .filter(({ name, state, stateSince }) => {
      const was = before.models.get(name);
      return state === ModelState.READY && (was?.state !== state || was.stateSince !== stateSince);
    })
    .map(({ name }) => name);
}

/** Whether the engine was not ready before. What is said of its coming back stays for a while. */
const becomesReady = (before: WorkspaceState, { engine }: WorkspaceUpdate): boolean =>
  engine?.state === Engine_State.READY && before.engine?.state !== Engine_State.READY;

/** Whether the folder of the repository was away before and is not now. */
const comesBack = (before: WorkspaceState, { repository }: WorkspaceUpdate): boolean =>
  before.repository?.away === true && repository?.away === false;

/** Takes away messages whose cause is gone: models serve again or are gone, the engine is ready, the folder is back, or a
 * banner says it from now on. */
export function settleOld(before: WorkspaceState, update: WorkspaceUpdate): void {
  const { repository, reset } = update;
  if (reset || becomesReady(before, update) || wantsRestart(update.engine)) settle("engine");
  if (reset || becomesReady(before, update)) settleRefusals("engine");
  if (comesBack(before, update)) {
    settle("folder");
    settleRefusals("folder");
  }
  if (reset || repository?.away || (repository && before.repository?.away)) settle("repository");
  const other = reset && repository?.id !== before.repository?.id;
  const over = other ? [...before.models.keys()] : [...update.removedModels, ...nowServing(before, update)];
  if (over.length > 0) {
    forgetUnloaded(over);
    settleLoads(over);
  }
  const asked = repository?.access?.trust === Access_Trust.UNSPECIFIED ? repository.access.code : [];
  for (const name of [...over, ...asked.map(({ model }) => model)]) settle(`model ${name}`);
}
