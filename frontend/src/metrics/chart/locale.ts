/**
 * Gives the page a language that `Intl` takes. WebKitGTK started under the C or POSIX locale reports the language
 * "C", and uPlot asks for its number format while it is read: the RangeError would leave the whole window blank.
 * Import it before uPlot.
 */
function isKnown(language: string): boolean {
  try {
    return Intl.getCanonicalLocales(language).length > 0;
  } catch {
    return false;
  }
}

if (!isKnown(navigator.language)) {
  Object.defineProperty(navigator, "language", { value: "en-US", configurable: true });
}

export {};
