/** Texts that are too long to be read between two frames. A worker reads them; the last readings are kept for the request. */
import { Helper } from "../lib/helper";
import { RowsError } from "./rows";
import type { Reading } from "./texts";
import { type Answer, answer, type Question, type Read, type Typed, type TypedRequest } from "./typed";

/** Characters; JSON.parse and the checks after it take a millisecond for ten thousand. */
const mostAtOnce = 50_000;

export const isLong = (text: string) => text.length > mostAtOnce;

const worker = () => new Worker(new URL("./typed.worker.ts", import.meta.url), { type: "module" });
const helper = new Helper<Question, Answer>(worker, answer);

const mostKept = 4; // readings: an answer is as large as its tensor

type Kept = { readonly question: Question; readonly answer: Promise<Answer> };
let kept: readonly Kept[] = [];

function ask(question: Question): Promise<Answer> {
  const known = kept.find((one) => same(one.question, question));
  const found = known ?? { question, answer: helper.ask(question) };
  kept = [found, ...kept.filter((one) => one !== found)].slice(0, mostKept);
  return found.answer;
}

function same(a: Question, b: Question): boolean {
  if (a.kind === "values" && b.kind === "values") {
    const keys = Object.keys(a.typed) as (keyof Typed)[];
    return keys.every((key) => a.typed[key] === b.typed[key]);
  }
  return a.kind === b.kind && "text" in a && "text" in b && a.text === b.text;
}

/** A long text of values. Fails as `readValues` does. */
export async function readLong(typed: Typed): Promise<Read> {
  const { read, short } = await ask({ kind: "values", typed });
  if (short) throw new RowsError(...short);
  return read as Read;
}

export async function readLongRequest(text: string): Promise<TypedRequest> {
  return (await ask({ kind: "request", text })).request as TypedRequest;
}

/** How a long text of BYTES is read when nobody chose. */
export async function longReading(text: string): Promise<Reading> {
  return (await ask({ kind: "reading", text })).reading as Reading;
}
