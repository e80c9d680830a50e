/** Copies text. Falls back to a hidden field where the page has no clipboard of its own, as in the desktop window. */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    copyByField(text);
  }
}

function copyByField(text: string): void {
  const field = document.createElement("textarea");
  const focused = document.activeElement;
  field.value = text;
  field.style.cssText = "position:fixed;opacity:0";
  document.body.append(field);
  field.select();
  const copied = document.execCommand("copy");
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
  if (!copied) throw new Error("The clipboard refused the text");
}
