import { closeHoverTooltips, type EditorView, hasHoverTooltips, ViewPlugin } from "@codemirror/view";

/**
 * Takes hover cards away when the editor gets another height, as it does when a banner comes: the text moved
 * away under the pointer, and the card would lie over the banner's buttons.
 */
export const cardsGoWithHeight = ViewPlugin.define((view: EditorView) => {
  let height = view.dom.clientHeight;
  const observer = new ResizeObserver(() => {
    const before = height;
    height = view.dom.clientHeight;
    if (height !== before && hasHoverTooltips(view.state)) view.dispatch({ effects: closeHoverTooltips });
  });
  observer.observe(view.dom);
  return { destroy: () => observer.disconnect() };
});
