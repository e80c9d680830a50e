import { bringBackTry, forgetTries } from "../requests/tries";
import { isKeptOf, loadKept } from "../window/kept";
import { goToRepository, type Place, usePlace } from "../window/place";
import { useTrail } from "../window/trail";
import { useWorkspace } from "../workspace/workspace";
import { namesPage } from "./address";

/** Shows a page; where its model is gone, `otherwise`. */
function show(page: Partial<Place> | undefined, otherwise?: Partial<Place>): void {
  const { models, seq } = useWorkspace.getState();
  const gone = page?.model && seq > 0n && !models.has(page.model);
  const shown = (gone ? undefined : page) ?? otherwise;
  if (shown) usePlace.setState({ ...otherwise, ...shown, reveal: undefined, restore: undefined });
}

/** Whether the address named a page when this one was opened; from then on it follows the page. */
const named = namesPage(window.location.hash);

const openRoots = () => useWorkspace.getState().repository?.roots;

/** At the start: the page where one was, unless the address names another, or one has moved on meanwhile. */
export async function beginWhereLeft(): Promise<void> {
  const began = usePlace.getState();
  const known = await loadKept(openRoots);
  if (!known) return;
  if (!named && usePlace.getState() === began) show(known.page);
  else keepThis();
}

/** Tells those who follow the place of it once more: only now it is known whose it is. */
const keepThis = () => usePlace.setState({});

/** Whether somebody went to a page of the open repository after this one was shown; its list may be there before its page is. */
function movedOn(from: Place): boolean {
  const now = usePlace.getState();
  return now !== from && (now.model === "" || useWorkspace.getState().models.has(now.model));
}

/**
 * Another repository is open now, opened here or elsewhere: its own page is shown, unless one has chosen another meanwhile,
 * and the trail through the other is forgotten.
 */
async function takePlace(): Promise<void> {
  const left = usePlace.getState();
  const known = await loadKept(openRoots);
  if (!known) return; // yet another one is open: it is asked for by itself
  useTrail.setState({ back: [], forward: [] });
  forgetTries();
  if (movedOn(left)) {
    keepThis();
  } else {
    show(known.page, { model: "", repositoryTab: "overview" });
  }
  const { model } = usePlace.getState();
  if (model !== "") await bringBackTry(model); // where a model of the same name was shown, its pane stays
}

let heard = false;

/** Looks whether the repository that was heard of is the one whose place is known. */
export function followRepository(): void {
  const { repository, models } = useWorkspace.getState();
  const first = !heard;
  heard = true;
  if (!isKeptOf(repository?.roots ?? [])) {
    void (first && isKeptOf([]) ? beginWhereLeft() : takePlace()).catch(() => undefined);
    return;
  }
  const { model } = usePlace.getState();
  if (first && !named && model !== "" && !models.has(model)) goToRepository();
}
