import { useWorkspace } from "./workspace";

/** A name in quotes, or a word. */
const WORDS = /"([^"\n]*)"|'([^'\n]+)'|([^\s"'`(),:;]+)/g;

/** What no word of a sentence has. */
const SIGN = /[_\d]|\w[.-]\w/;

/** The models of the repository that a sentence names: in quotes, or by a word that can be nothing else. */
export function modelsIn(text: string): string[] {
  const { models } = useWorkspace.getState();
  const found = new Set<string>();
  for (const [, double, single, word = ""] of text.matchAll(WORDS)) {
    const plain = word.replace(/\.$/, "");
    const name = double ?? single ?? (SIGN.test(plain) ? plain : "");
    if (models.has(name)) found.add(name);
  }
  return [...found];
}

/** What a problem of a config names: all that it quotes, with the quotes, and models by words that can be nothing else. */
export const identifiersIn = (text: string): string[] => [
  ...(text.match(/"[^"\n]*"/g) ?? []),
  ...modelsIn(text),
];
