import { fromHash, type Place, toHash, usePlace } from "../window/place";

const title = (place: Place) => (place.model === "" ? "Conch" : `${place.model} – Conch`);

/** Whether an address fragment says which page to show. */
export const namesPage = (hash: string): boolean => hash.replace(/^#\/?/, "") !== "";

/** Keeps the address fragment and the place in step, both ways, so that back and reload work. */
export function followPlace(): { destroy(): void } {
  const read = () => {
    if (window.location.hash !== toHash(usePlace.getState()))
      usePlace.setState(fromHash(window.location.hash));
  };
  const write = (place: Place) => {
    document.title = title(place);
    if (window.location.hash !== toHash(place)) window.location.hash = toHash(place);
  };
  // An address that names a page wins over the page where one was.
  if (namesPage(window.location.hash)) read();
  write(usePlace.getState());
  window.addEventListener("hashchange", read);
  const unsubscribe = usePlace.subscribe(write);
  return {
    destroy: () => {
      window.removeEventListener("hashchange", read);
      unsubscribe();
    },
  };
}
