/** Names the changed files that nobody sees among those of the model. */
export function changedTitle(imports: string[]): string {
  const which =
    imports.length > 0
      ? `Imported from outside of the model's folder and changed: ${imports.join(", ")}. `
      : "";
  return `${which}The version loaded before keeps serving. Reload loads the changed files.`;
}
