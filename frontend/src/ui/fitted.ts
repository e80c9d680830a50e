import { fitMiddle } from "../lib/fitMiddle";

/** Boxes end at fractions of a pixel, which engines round each in their own way. */
const TOLERANCE = 1;

/** A box that shows a text: one child has the whole text and gives it its width, the other shows what fits. */
interface Fitted {
  box: HTMLElement;
  whole: HTMLElement;
  shown: HTMLElement;
  text: string;
}

let canvas: CanvasRenderingContext2D | null | undefined;

/**
 * Measures in the font of an element without laying anything out. A canvas knows nothing of font features
 * (tabular figures are wider), so it is set right by the whole text, which is laid out.
 */
function measureIn(element: HTMLElement, text: string, width: number): (part: string) => number {
  canvas ??= document.createElement("canvas").getContext("2d");
  const context = canvas;
  if (!context) return () => 0;
  const style = getComputedStyle(element);
  context.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  const scale = width / (context.measureText(text).width || 1);
  return (part) => context.measureText(part).width * scale;
}

const all = new Map<Element, Fitted>();
const waiting = new Set<Fitted>();

/** What fits into a box now. It reads the layout and changes nothing. */
function fittingText({ box, whole, text }: Fitted): string {
  const room = box.getBoundingClientRect().width;
  const width = whole.getBoundingClientRect().width;
  return width <= room + TOLERANCE ? text : fitMiddle(text, room, measureIn(whole, text, width));
}

/**
 * Fits all boxes that wait. It reads all sizes before it writes any text: a write between two reads would make the
 * browser lay the page out once for each box.
 */
function flush(): void {
  const now = [...waiting].map((fitted) => ({ fitted, result: fittingText(fitted) }));
  waiting.clear();
  for (const { fitted, result } of now) {
    show(fitted.shown, result);
    const title = result === fitted.text ? "" : fitted.text;
    if (fitted.box.title !== title) fitted.box.title = title;
  }
}

/** Some show their text as an attribute, so that a sentence has the word once. */
function show(element: HTMLElement, text: string): void {
  if (element.dataset.shown === undefined) {
    if (element.textContent !== text) element.textContent = text;
  } else if (element.dataset.shown !== text) element.dataset.shown = text;
}

/** Fits a box together with the others of this moment, and before the next paint. */
function wait(fitted: Fitted): void {
  if (waiting.size === 0) queueMicrotask(flush);
  waiting.add(fitted);
}

let sizes: ResizeObserver | undefined;

/** Starts what tells of new sizes and fonts; one for all boxes. */
function observer(): ResizeObserver {
  if (sizes) return sizes;
  // Before the fonts are there another one was measured; WebKit tells only the promise when they were cached.
  const again = () => all.forEach(wait);
  document.fonts.addEventListener("loadingdone", again);
  void document.fonts.ready.then(again);
  sizes = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      const fitted = all.get(target);
      if (fitted) wait(fitted);
    }
  });
  return sizes;
}

/** Keeps what a box shows cut to its width. Returns what ends it. */
export function keepFitted(box: HTMLElement, text: string): () => void {
  const [whole, shown] = box.children as unknown as [HTMLElement, HTMLElement];
  const fitted = { box, whole, shown, text };
  all.set(box, fitted);
  observer().observe(box);
  wait(fitted);
  return () => {
    all.delete(box);
    waiting.delete(fitted);
    sizes?.unobserve(box);
  };
}
