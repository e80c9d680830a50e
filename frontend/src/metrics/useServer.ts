import { useWorkspace } from "../workspace/workspace";

/** The name of the server whose figures are shown; "" is the engine of this machine. */
export function useServer(): string {
  return useWorkspace((state) => state.engine?.remote?.name ?? "");
}
