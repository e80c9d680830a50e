import type { EditorView } from "@codemirror/view";
import { clients } from "../../api/client";
import type { FindNameResponse, NamePlace } from "../../api/conch_pb";
import { revealInConfig } from "../../window/place";
import { toast, toastError } from "../../window/toasts";
import { leaveMark } from "../../window/trail";
import type { FileId } from "./fileId";
import { type LineBreak, toDoc, toText } from "./lines";

/** A name that was asked about, with the place in the text it was asked for. */
export interface AskedName {
  answer: FindNameResponse;
  text: string;
  offset: number;
}

export async function askName(
  view: EditorView,
  file: FileId,
  lineBreak: LineBreak,
  pos = view.state.selection.main.head,
): Promise<AskedName | undefined> {
  const { doc } = view.state;
  const text = view.state.sliceDoc();
  const offset = toText(doc, pos, lineBreak);
  try {
    const answer = await clients.editor.findName({ ...file, text, offset });
    if (view.state.doc !== doc || !view.dom.isConnected) return undefined; // one has typed on, or is elsewhere
    if (answer.found) return { answer, text, offset };
    toast({ level: "info", text: "There is no name of a model or tensor at the cursor" });
  } catch (error) {
    toastError("The name could not be looked up", error);
  }
  return undefined;
}

/** Where "go to definition" leads: a definition elsewhere, else where the name is used first. */
export function target({ places, from }: FindNameResponse, file: FileId): NamePlace | undefined {
  const elsewhere = places.filter(
    (place) => place.model !== file.model || place.path !== file.path || place.from !== from,
  );
  return elsewhere.find(({ definition }) => definition) ?? elsewhere[0];
}

export function goToDefinition(
  answer: FindNameResponse,
  file: FileId,
  view: EditorView,
  lineBreak: LineBreak,
): void {
  const place = target(answer, file);
  if (place) goTo(place, file, view, lineBreak);
  else toast({ level: "info", text: `${answer.title} is not used anywhere else`, names: [answer.name] });
}

/** Shows a place: in this text at once, in another model by going there. */
export function goTo(
  place: NamePlace,
  file: FileId,
  view: EditorView | undefined,
  lineBreak: LineBreak,
): void {
  if (!view || place.model !== file.model || place.path !== file.path) {
    revealInConfig(place.model, { path: place.path, from: place.from, to: place.to });
    return;
  }
  const { doc } = view.state;
  leaveMark();
  view.dispatch({
    selection: { anchor: toDoc(doc, place.from, lineBreak), head: toDoc(doc, place.to, lineBreak) },
    scrollIntoView: true,
  });
  view.focus();
}
