import { createContext, useContext } from "react";

/** Whether the workbench answers. While it does not, what is shown is what was last heard. */
export const ReachContext = createContext(true);

export const useReach = () => useContext(ReachContext);

/** Why an action that needs the workbench is off. */
export const OUT_OF_REACH = "The workbench does not answer";
