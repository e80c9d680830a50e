import { createContext, useContext } from "react";

/** What an action needs an answer from: the program behind the page, or the engine behind that. */
export type Needs = "app" | "engine";

/** Why one of them does not answer, in a sentence. While it answers there is no such sentence. */
export type Reach = Readonly<Partial<Record<Needs, string>>>;

/** What answers now. While the program does not, what is shown is what was last heard. */
export const ReachContext = createContext<Reach>({});

/** Whether the program answers. */
export const useReach = () => useContext(ReachContext).app === undefined;

/** Why an action is off that needs an answer; undefined while it is on. Without the program nothing reaches the engine. */
export function useWhyOff(needs: Needs | undefined): string | undefined {
  const { app, engine } = useContext(ReachContext);
  return needs === undefined ? undefined : (app ?? (needs === "engine" ? engine : undefined));
}
