import { nearest } from "../../lib/near";
import { useWorkspace } from "../../workspace/workspace";

/** The model that a request meant which named one that is not there; undefined where the name is right, or none is near. */
export const useMeant = (name: string): string | undefined =>
  useWorkspace(({ models }) => (name === "" || models.has(name) ? undefined : nearest(name, models.keys())));
