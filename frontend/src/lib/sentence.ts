/** Words that are written small wherever they stand: fields of a config, programs. */
const small = new Set(["dims", "gpus", "curl", "grpcurl", "numpy", "conch"]);

/**
 * A message as it is shown: with a capital, unless it begins with a name or a quotation. The language of configs
 * says messages in the middle of a sentence, because `conch check` prints them after a place.
 */
export function sentence(text: string): string {
  const word = /^[a-z]+(?=[\s,;:]|$)/.exec(text)?.[0];
  if (word === undefined || small.has(word)) return text;
  return text.charAt(0).toUpperCase() + text.slice(1);
}
