import { bringBackTry, forgetTries } from "../requests/tries";
import { isKeptOf, loadKept } from "../window/kept";
import { goToRepository, type Place, usePlace } from "../window/place";
import { useTrail } from "../window/trail";
import { useWorkspace } from "../workspace/workspace";
import { namesPage } from "./address";

/** Shows a page unless its model is gone. */
function show(page: Partial<Place> | undefined): void {
  const { models, seq } = useWorkspace.getState();
  if (page?.model && seq > 0n && !models.has(page.model)) return;
  if (page) usePlace.setState({ ...page, reveal: undefined, restore: undefined });
}

/** Whether the address named a page when this one was opened; from then on it follows the page. */
const named = namesPage(window.location.hash);

/** At the start: the page where one was, unless the address names another, or one has moved on meanwhile. */
export async function beginWhereLeft(): Promise<void> {
  const began = usePlace.getState();
  const page = await loadKept();
  if (!named && usePlace.getState() === began) show(page);
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
  const page = await loadKept();
  useTrail.setState({ back: [], forward: [] });
  forgetTries();
  if (movedOn(left)) {
    keepThis();
  } else {
    goToRepository();
    show(page);
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
    void (first ? beginWhereLeft() : takePlace()).catch(() => undefined);
    return;
  }
  const { model } = usePlace.getState();
  if (first && !named && model !== "" && !models.has(model)) goToRepository();
}
