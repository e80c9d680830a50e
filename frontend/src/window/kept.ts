import { clients } from "../api/client";
import { onLeave } from "../api/leaving";
import { fileKey } from "../lib/fileKey";
import { onOpenFiles, reopenFiles } from "./openFiles";
import { fromHash, type Place, toHash, usePlace } from "./place";
import type { TextSpot } from "./textSpot";

/** Pause before sending: scrolling changes the place many times a second. */
const SAVE_AFTER_MS = 300;
/** Newest positions that are kept of each kind. */
const MOST = 300;

/** Where one was in a repository: the page, and how far everything was scrolled. Kept by the app, not by the tab. */
interface Kept {
  /** The page, as an address fragment. */
  page: string;
  scroll: Map<string, number>;
  /** By file. */
  spots: Map<string, TextSpot>;
  /** The file that the editor shows, by model. */
  files: Map<string, string>;
}

const nothing = (): Kept => ({ page: "", scroll: new Map(), spots: new Map(), files: new Map() });

let kept = nothing();
let roots: readonly string[] = [];
let timer: ReturnType<typeof setTimeout> | undefined;

const isNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);

const isText = (value: unknown): value is string => typeof value === "string";

function isSpot(value: unknown): value is TextSpot {
  const spot = value as TextSpot | null;
  return (
    typeof spot?.path === "string" &&
    isNumber(spot.line) &&
    isNumber(spot.column) &&
    isNumber(spot.top?.line) &&
    isNumber(spot.top.offset)
  );
}

function mapOf<T>(value: unknown, is: (entry: unknown) => entry is T): Map<string, T> {
  if (!Array.isArray(value)) return new Map();
  const pairs = value.filter((pair): pair is [string, T] => typeof pair?.[0] === "string" && is(pair[1]));
  return new Map(pairs);
}

/** Takes what the app kept; what has the wrong shape is left out rather than trusted. */
export function parseKept(json: string): Kept {
  try {
    const { page, scroll, spots, files } = JSON.parse(json) as Record<string, unknown>;
    return {
      page: typeof page === "string" ? page : "",
      scroll: mapOf(scroll, isNumber),
      spots: mapOf(spots, isSpot),
      files: mapOf(files, isText),
    };
  } catch {
    return nothing();
  }
}

const written = ({ page, scroll, spots, files }: Kept): string =>
  JSON.stringify({ page, scroll: [...scroll], spots: [...spots], files: [...files] });

const areSame = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((root, i) => root === other[i]);

/** Whether what is kept belongs to a repository. */
export const isKeptOf = (repository: readonly string[]): boolean => areSame(roots, repository);

/**
 * Asks the app where one was in the repository that is open. Resolves with the page, if one was kept; with nothing where
 * the answer is of another repository than the one that the window knows by now, or was known already.
 */
export async function loadKept(
  openRoots: () => readonly string[] | undefined,
): Promise<{ page?: Partial<Place> } | undefined> {
  const answer = await clients.workspace.getPlace({});
  if (!areSame(answer.roots, openRoots() ?? answer.roots) || isKeptOf(answer.roots)) return undefined;
  kept = parseKept(answer.place);
  reopenFiles(kept.files, roots.length === 0 ? "beside" : "instead");
  roots = answer.roots;
  return kept.page === "" ? {} : { page: fromHash(kept.page) };
}

interface Message {
  roots: string[];
  place: string;
}

/** The newest place in each repository that is not sent yet. */
const waiting = new Map<string, Message>();
let sending = false;

// What was not kept is kept with the next change: a place is not worth a notice.
const send = (message: Message) => clients.workspace.keepPlace(message).catch(() => undefined);

/** One after the other: of two that are on their way together, the older one may come last. */
async function sendWaiting(): Promise<void> {
  if (sending) return;
  sending = true;
  for (const [root, message] of waiting) {
    waiting.delete(root);
    await send(message);
  }
  sending = false;
}

function save(): void {
  clearTimeout(timer);
  timer = undefined;
  if (roots.length === 0) return;
  waiting.set(roots.join("\n"), { roots: [...roots], place: written(kept) });
  void sendWaiting();
}

/** Nothing waits for an answer any more: the page goes away. */
function leave(): void {
  if (timer !== undefined) save();
  for (const message of waiting.values()) void send(message);
  waiting.clear();
}

const soon = (): void => {
  timer ??= setTimeout(save, SAVE_AFTER_MS);
};

function note<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= MOST) break;
    map.delete(oldest);
  }
  soon();
}

export const scrollOf = (name: string): number => kept.scroll.get(name) ?? 0;
export const keepScroll = (name: string, top: number): void => note(kept.scroll, name, Math.round(top));

export const spotOf = (model: string, path: string): TextSpot | undefined =>
  kept.spots.get(fileKey(model, path));
export const keepSpot = (model: string, spot: TextSpot): void =>
  note(kept.spots, fileKey(model, spot.path), spot);

/** Keeps the page of the open repository from now on. What waits is sent when the page is left. */
export function followKept(openRoots: () => readonly string[]): () => void {
  const unsubscribe = usePlace.subscribe((place) => {
    const page = toHash(place);
    if (page === kept.page || !isKeptOf(openRoots())) return;
    kept.page = page;
    save(); // who goes to another page may be about to leave
  });
  const forget = onOpenFiles((files) => {
    if (!isKeptOf(openRoots())) return;
    kept.files = new Map(Object.entries(files).slice(-MOST));
    soon();
  });
  const stay = onLeave(leave);
  return () => {
    unsubscribe();
    forget();
    stay();
    clearTimeout(timer);
    timer = undefined;
  };
}
