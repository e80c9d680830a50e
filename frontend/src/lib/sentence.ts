/** Words that are written small wherever they stand: fields of a config, programs. */
const small = new Set(["dims", "gpus", "curl", "grpcurl", "numpy", "conch"]);

/**
 * A message as it is shown: with a capital, unless it begins with a quotation or with one of the names, which keep their
 * spelling. The language of configs says messages in the middle of a sentence, because `conch check` prints them after a
 * place.
 */
export function sentence(text: string, names: { has(name: string): boolean }): string {
  const word = /^[a-z]+(?=[\s,;:]|$)/.exec(text)?.[0];
  if (word === undefined || small.has(word) || names.has(word)) return text;
  return text.charAt(0).toUpperCase() + text.slice(1);
}
