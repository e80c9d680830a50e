import type { NamePlace } from "../../api/conch_pb";
import type { TextSpot } from "../../window/textSpot";
import { setLocator } from "../../window/trail";
import type { FileId } from "./fileId";
import type { Finding } from "./findings";
import { applyFix } from "./fixes";
import type { Holder } from "./holder";
import { toText } from "./lines";
import { goTo } from "./names";
import { openSearch } from "./search";
import { showSight, showSpot, spotIn } from "./spots";

/** What can be done to an open text only while a view shows it. */
export function createShown(file: FileId, holder: Holder) {
  const shown = () => (holder.base() ? holder.view() : undefined);
  return {
    /** Shows the session in an element; returns what takes it away again. */
    mount(parent: HTMLElement): () => void {
      const unmount = holder.mount(parent);
      const unlocate = setLocator(() => {
        const view = holder.view();
        return view && spotIn(view, file.path);
      });
      return () => {
        unlocate();
        unmount();
      };
    },
    focus: () => holder.view()?.focus(),
    /** Opens the search; reports whether there is a text to search in. */
    search: () => {
      const view = shown();
      return view !== undefined && openSearch(view);
    },
    fix: (finding: Finding) => {
      const [first] = finding.diagnostic.fixes;
      const view = holder.view();
      if (view && first) applyFix(view, first, { file, lineBreak: holder.lineBreak() });
    },
    goTo: (place: NamePlace) => goTo(place, file, holder.view(), holder.lineBreak()),
    reveal: (from: number, to: number, explain?: Finding) => {
      const view = shown();
      if (view) showSight(view, { from, to, explain }, holder.lineBreak());
      return view !== undefined;
    },
    /** Shows a line, from 1; the last one where the text has become shorter. */
    revealLine: (line: number) => {
      const view = shown();
      if (!view) return false;
      const { from, to } = view.state.doc.line(Math.max(1, Math.min(line, view.state.doc.lines)));
      const text = (pos: number) => toText(view.state.doc, pos, holder.lineBreak());
      showSight(view, { from: text(from), to: text(to) }, holder.lineBreak());
      return true;
    },
    restore: (spot: TextSpot, how?: "quietly") => {
      const view = shown();
      if (view) showSpot(view, spot, how);
      return view !== undefined;
    },
  };
}
