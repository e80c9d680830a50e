/** What is chosen in the dialog for each model. It outlives the dialog: a request that was written there may be long. */
import { create } from "zustand";
import { onRenamed } from "../../workspace/renamed";
import { openedRepository } from "../../workspace/workspace";
import { type Choice, firstChoice } from "./choice";

interface Choices {
  readonly byModel: ReadonlyMap<string, Choice>;
}

const useChoices = create<Choices>(() => ({ byModel: new Map() }));

const keyOf = (model: string): string => `${openedRepository()}\n${model}`;

/** Keeps the choice for a model of the open repository; undefined begins afresh. */
export function keepChoice(model: string, choice: Choice | undefined): void {
  const byModel = new Map(useChoices.getState().byModel);
  if (choice) byModel.set(keyOf(model), choice);
  else byModel.delete(keyOf(model));
  useChoices.setState({ byModel });
}

onRenamed((from, to) => {
  const choice = useChoices.getState().byModel.get(keyOf(from));
  if (!choice) return;
  keepChoice(from, undefined);
  keepChoice(to, choice);
});

/** The choice for a model, and whether a person has chosen anything of it. */
export function useChoice(model: string): { choice: Choice; chosen: boolean } {
  const key = keyOf(model);
  const kept = useChoices(({ byModel }) => byModel.get(key));
  return { choice: kept ?? firstChoice(model), chosen: kept !== undefined };
}
