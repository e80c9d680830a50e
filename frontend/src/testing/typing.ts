// How a test fills in a field. React takes a value that is set on the field itself for its own, and tells nobody: the
// browser's setter for fields of that kind is called in its place.

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/** Gives a field a text, or a list its choice, as a person would. */
export function enter(field: Field | null | undefined, text: string): void {
  if (!field) throw new Error(`there is no field for ${JSON.stringify(text)}`);
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), "value")?.set?.call(field, text);
  const event = field instanceof HTMLSelectElement ? "change" : "input";
  field.dispatchEvent(new Event(event, { bubbles: true }));
}
