import { closeHoverTooltips, EditorView, hasHoverTooltips, ViewPlugin } from "@codemirror/view";

/** Whether the line of the cursor was in sight as long as the text had this height, and is not now. */
function isLost(view: EditorView, before: number): boolean {
  const { scrollTop, clientHeight } = view.scrollDOM;
  const { top, bottom } = view.lineBlockAt(view.state.selection.main.head);
  const end = bottom + view.documentPadding.top;
  return top >= scrollTop && end <= scrollTop + before && end > scrollTop + clientHeight;
}

/**
 * Keeps the text as a person sees it when the editor gets another height, as it does when a banner or the list of problems comes. Hover
 * cards go: the text moved away under the pointer, and the card would lie over the banner's buttons. The line of the cursor stays in sight.
 */
export const settlesWithHeight = ViewPlugin.define((view: EditorView) => {
  let height = view.dom.clientHeight;
  let text = view.scrollDOM.clientHeight;
  const observer = new ResizeObserver(() => {
    const before = { height, text };
    height = view.dom.clientHeight;
    text = view.scrollDOM.clientHeight;
    if (height === before.height) return;
    if (hasHoverTooltips(view.state)) view.dispatch({ effects: closeHoverTooltips });
    if (isLost(view, before.text))
      view.dispatch({ effects: EditorView.scrollIntoView(view.state.selection.main.head) });
  });
  observer.observe(view.dom);
  return { destroy: () => observer.disconnect() };
});
