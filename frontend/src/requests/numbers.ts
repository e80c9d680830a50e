/** Numbers that people type into small fields: what each field takes, and the sentence where the text is something else. */

export type Rule = {
  readonly name: string; // begins the sentence: "Width"
  readonly whole?: boolean;
  readonly least?: number;
  readonly most?: number;
  readonly notZero?: boolean;
};

/** A text that its field does not take as a number. It is kept, so that nothing else is sent in its place. */
export type Unfinished = { readonly text: string; readonly problem: string };

type Read = { readonly value: number } | { readonly problem: string };

export function readNumber(rule: Rule, text: string): Read {
  const typed = text.trim().replace("−", "-");
  const value = typed === "" ? Number.NaN : Number(typed);
  const written = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(typed) && Number.isFinite(value);
  if (written && fits(rule, value)) return { value };
  if (typed === "") return { problem: `${rule.name} is empty: type ${wanted(rule)}` };
  const { name, most } = rule;
  if (written && most !== undefined && value > most)
    return { problem: `${name} is ${typed}: the largest is ${grouped(most)}` };
  return { problem: `${name} is ${written ? typed : `"${shorten(typed)}"`}: type ${wanted(rule)}` };
}

function fits({ whole, least, most, notZero }: Rule, value: number): boolean {
  if (whole && !Number.isInteger(value)) return false;
  if (notZero && value === 0) return false;
  return (least === undefined || value >= least) && (most === undefined || value <= most);
}

const farOff = 1_000_000; // an end that nobody wants to hear of before it is reached

function wanted({ whole, least, most, notZero }: Rule): string {
  const noun = `${whole ? "a whole number" : "a number"}${notZero ? " other than 0" : ""}`;
  if (least === undefined) return noun;
  if (most === undefined || most >= farOff) return `${noun}, ${grouped(least)} or more`;
  return `${noun} from ${grouped(least)} to ${grouped(most)}`;
}

const grouped = (value: number) => value.toLocaleString("en");

const shorten = (text: string) => (text.length > 24 ? `${text.slice(0, 24)}…` : text);
