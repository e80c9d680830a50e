/** What is known of the requests that the ports refused, and how it is said. */
import type { Refusal, WatchRefusalsResponse } from "../api/conch_pb";
import { count } from "../lib/format";
import type { Span } from "../lib/range";
import { visible } from "../lib/visible";

export interface Refusals {
  /** With the newest request first. */
  readonly groups: readonly Refusal[];
  /** Requests that no group counts any more. */
  readonly forgotten: number;
}

const newest = (group: Refusal): number => Number(group.newest[0]?.time ?? group.first);

/** What is known after a message. */
export function take(known: Refusals | undefined, message: WatchRefusalsResponse): Refusals {
  const { reset, changed, removed, forgotten } = message;
  if (known && !reset && changed.length + removed.length === 0) return known;
  const replaced = new Set([...changed.map(({ id }) => id), ...removed]);
  const kept = reset ? [] : (known?.groups ?? []).filter(({ id }) => !replaced.has(id));
  const groups = [...changed, ...kept].sort((a, b) => newest(b) - newest(a) || (a.id < b.id ? 1 : -1));
  return { groups, forgotten: Number(forgotten) };
}

/** How many requests were refused, also those that are only counted. */
export const total = ({ groups, forgotten }: Refusals): number =>
  groups.reduce((sum, { count, alike }) => sum + Number(count) + Number(alike), forgotten);

/** How many requests to a model were refused in a time; `atLeast` where of some only the count is known, and not when. */
export interface Refused {
  readonly count: number;
  readonly atLeast: boolean;
}

/** What was refused before it ran in a time, by model; "" is all of them, also those of no known model. */
export function refusedIn(groups: readonly Refusal[], { from, to }: Span): ReadonlyMap<string, Refused> {
  const all = new Map<string, Refused>();
  const add = (model: string, { count, atLeast }: Refused) => {
    const before = all.get(model);
    all.set(model, { count: count + (before?.count ?? 0), atLeast: atLeast || before?.atLeast === true });
  };
  for (const group of groups.filter(({ ran }) => !ran)) {
    const { model, count, first, newest: listed } = group;
    const seen = listed.filter(({ time }) => Number(time) >= from && Number(time) <= to).length;
    if (seen === 0) continue;
    const whole = Number(first) >= from && newest(group) <= to;
    const known = whole ? Number(count) : seen;
    const refused = { count: known, atLeast: !whole && Number(count) > listed.length };
    add("", refused);
    if (model !== "") add(model, refused);
  }
  return all;
}

/** The groups that `refusedIn` counts: of requests that did not run, one of them in the time. */
export const countedIn = (groups: readonly Refusal[], { from, to }: Span): Refusal[] =>
  groups.filter(
    ({ ran, newest }) => !ran && newest.some(({ time }) => Number(time) >= from && Number(time) <= to),
  );

/** How many requests of some groups ran and failed. */
export const failedIn = (groups: readonly Refusal[]): number =>
  groups.filter(({ ran }) => ran).reduce((sum, { count }) => sum + Number(count), 0);

/** "12 refused", "at least 5 refused". */
export const refusedText = ({ count, atLeast }: Refused): string =>
  `${atLeast ? "at least " : ""}${many(count)} refused`;

/** What a list of requests is narrowed to: a part of what is known of them, and a model by its whole name; "" for all. */
export interface Filter {
  readonly text: string;
  readonly model: string;
}

export function matching(groups: readonly Refusal[], { text, model: of }: Filter): Refusal[] {
  const word = text.trim().toLowerCase();
  return groups.filter((group) => {
    const { port, method, path, model, status, reason, newest } = group;
    if (of !== "" && model !== of) return false;
    const clients = newest.map(({ client, id }) => `${client} ${id}`).join(" ");
    return `${port} ${method} ${path} ${model} ${status} ${reason} ${clients}`.toLowerCase().includes(word);
  });
}

/** The engine writes the ends of lines as escapes, since its log has a line for each request. */
const lineEnds = /(?:\\u000d)?\\u000a|\\u000d/g;

export const onLines = (reason: string): string => reason.replace(lineEnds, "\n");
export const onOneLine = (reason: string): string => reason.replace(lineEnds, " ");

/** What was called: "POST /v2/models/a/infer", "ModelInfer". */
export const call = ({ method, path }: Refusal): string => (path ? `${method} ${path}` : method);

/** Why, in a row. That a method is not allowed says nothing without the call. */
export const reasonOf = (group: Refusal): string =>
  group.status.startsWith("405") ? `${call(group)}: ${group.reason}` : group.reason;

/** The model as it was asked for, with its version: "digits, version 9". */
export const named = ({ model, version }: Refusal): string =>
  version ? `${model}, version ${version}` : model;

/** What the client can do, where the reason does not say it. */
export const adviceOf = ({ reason }: Refusal): string | undefined =>
  reason.includes("doesn't support models with decoupled transaction policy")
    ? "The model answers any number of times: ask it by generate_stream over HTTP, or by ModelStreamInfer over gRPC."
    : undefined;

/** Who asked, the newest first, each once. */
export const clientsOf = ({ newest }: Refusal): string =>
  [...new Set(newest.map(({ client }) => visible(client)))].join("\n");

const many = (n: bigint | number): string => Number(n).toLocaleString("en");

/** "1,204 more like this"; "" when each request is listed. */
export function more({ count, newest }: Refusal): string {
  const unlisted = Number(count) - newest.length;
  return unlisted > 0 ? `${many(unlisted)} more like this` : "";
}

/** "4,980 more like this, for other models or with other values". */
export const others = ({ alike }: Refusal): string =>
  alike > 0n ? `${many(alike)} more like this, for other models or with other values` : "";

/** How often, in a row: "×1,209". */
export const times = ({ count }: Refusal): string => (count > 1n ? `×${many(count)}` : "");

export const forgottenText = (n: number): string =>
  `${n === 1 ? "1 older request is" : `${count(n, "older request").replace(String(n), many(n))} are`} no longer listed.`;
