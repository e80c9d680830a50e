/** Past notices outlive a reload of the page, in its session. What they offered does not: it was a function of the old page. */
import type { Notice } from "./toasts";

const KEY = "conch-notices";
const MOST = 100; // as many as the list has
const LONGEST = 4000; // characters of a text: an error can have a traceback

export interface Past {
  readonly past: readonly Notice[];
  readonly seen: number;
}

const nothing: Past = { past: [], seen: 0 };
const levels: readonly unknown[] = ["info", "warning", "error"];

function isNotice(value: unknown): value is Notice {
  const { id, level, text, time, count, detail, reason, model, names } = (value ?? {}) as Record<
    string,
    unknown
  >;
  const isTextOrNone = (part: unknown) => part === undefined || typeof part === "string";
  return (
    [id, time, count].every(Number.isSafeInteger) &&
    levels.includes(level) &&
    typeof text === "string" &&
    isTextOrNone(detail) &&
    isTextOrNone(reason) &&
    isTextOrNone(model) &&
    (names === undefined || (Array.isArray(names) && names.every((name) => typeof name === "string")))
  );
}

const keptOf = ({ id, level, text, detail, reason, model, names, time, count }: Notice): Notice => ({
  ...{ id, level, time, count },
  text: text.slice(0, LONGEST),
  ...(detail !== undefined && { detail: detail.slice(0, LONGEST) }),
  ...(reason !== undefined && { reason: reason.slice(0, LONGEST) }),
  ...(model !== undefined && { model }),
  ...(names !== undefined && { names }),
});

/** What was kept; what has another shape is left out. */
export function keptPast(): Past {
  try {
    const { past, seen } = JSON.parse(sessionStorage.getItem(KEY) ?? "{}") as Partial<Past>;
    if (!Array.isArray(past)) return nothing;
    const kept = past.filter(isNotice).slice(0, MOST).map(keptOf);
    return { past: kept, seen: Number.isSafeInteger(seen) ? (seen as number) : 0 };
  } catch {
    return nothing;
  }
}

/** A session that takes nothing has a list that ends with the page. */
export function keepPast({ past, seen }: Past): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify({ past: past.slice(0, MOST).map(keptOf), seen }));
  } catch {
    // No room, or no storage: the list of this page is whole.
  }
}
