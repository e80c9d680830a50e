import { create } from "zustand";
import { type Place, usePlace } from "./place";
import type { TextSpot } from "./textSpot";

/** Where somebody was. */
export interface Spot {
  page: Pick<Place, "model" | "modelTab" | "repositoryTab">;
  text?: TextSpot;
}

interface Trail {
  back: readonly Spot[];
  forward: readonly Spot[];
}

const LONGEST = 100;

/** The way that was gone, as browsers keep it, with the places in texts. */
export const useTrail = create<Trail>(() => ({ back: [], forward: [] }));

let locate: (() => TextSpot | undefined) | undefined;

/** Tells where in the text on the screen one is; answers what takes it back when the text goes. */
export function setLocator(locator: () => TextSpot | undefined): () => void {
  locate = locator;
  return () => {
    if (locate === locator) locate = undefined;
  };
}

/** Where in the text on the screen one is. */
export const spotNow = (): TextSpot | undefined => locate?.();

const pageOf = ({ model, modelTab, repositoryTab }: Place): Spot["page"] => ({
  model,
  modelTab,
  repositoryTab,
});

const here = (place = usePlace.getState()): Spot => ({ page: pageOf(place), text: locate?.() });

const samePage = (a: Spot["page"], b: Spot["page"]) =>
  a.model === b.model && (a.model === "" ? a.repositoryTab === b.repositoryTab : a.modelTab === b.modelTab);

const same = (a: Spot | undefined, b: Spot) =>
  a !== undefined &&
  samePage(a.page, b.page) &&
  a.text?.path === b.text?.path &&
  a.text?.line === b.text?.line;

/** Remembers where one is, before going elsewhere. */
export function leaveMark(spot = here()): void {
  useTrail.setState(({ back }) => ({
    back: same(back.at(-1), spot) ? back : [...back, spot].slice(-LONGEST),
    forward: [],
  }));
}

let going = false;

function go(from: "back" | "forward", to: "back" | "forward"): void {
  const spots = useTrail.getState()[from];
  const spot = spots.at(-1);
  if (!spot) return;
  const left = here();
  useTrail.setState((trail) => ({ [from]: spots.slice(0, -1), [to]: [...trail[to], left] }));
  going = true;
  usePlace.setState({ ...spot.page, reveal: undefined, restore: spot.text && { ...spot.text } });
  going = false;
}

export const goBack = (): void => go("back", "forward");
export const goForward = (): void => go("forward", "back");

/** A model has another name now: the trail still leads to it. */
export function renameInTrail(from: string, to: string): void {
  const renamed = (spot: Spot) =>
    spot.page.model === from ? { ...spot, page: { ...spot.page, model: to } } : spot;
  useTrail.setState(({ back, forward }) => ({ back: back.map(renamed), forward: forward.map(renamed) }));
}

/** Shows a page without a mark: it is the one that was shown, under another name. */
export function stayAt(place: Partial<Place>): void {
  going = true;
  usePlace.setState(place);
  going = false;
}

/** Marks the way from now on: what is left whenever another page, or a place in another text, is shown. */
export function followTrail(): () => void {
  return usePlace.subscribe((place, before) => {
    if (going) return;
    const asked = place.reveal !== undefined && place.reveal !== before.reveal;
    if (asked || !samePage(place, before)) leaveMark(here(before));
  });
}
