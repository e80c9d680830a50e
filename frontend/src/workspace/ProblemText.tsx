import { Words } from "../ui/Words";
import { identifiersIn } from "./modelsIn";

/** What a problem says, with its identifiers in the mono face. */
export const ProblemText = ({ text, whole = false }: { readonly text: string; readonly whole?: boolean }) => (
  <Words text={text} whole={whole} names={identifiersIn(text)} />
);
