import type { ModelSummary } from "../api/conch_pb";
import { type CodePlace, withPlaces } from "../lib/codePlaces";
import { Words } from "../ui/Words";
import { openFile } from "../window/openFiles";
import css from "./CodeText.module.css";
import { useWorkspace } from "./workspace";

/** The file of a model that a path of the machine names. */
export function fileAt(
  models: ReadonlyMap<string, ModelSummary>,
  file: string,
): { model: string; path: string } | undefined {
  for (const { name, dir } of models.values()) {
    if (dir !== "" && file.startsWith(`${dir}/`)) return { model: name, path: file.slice(dir.length + 1) };
  }
  return undefined;
}

function Place({ place }: { place: CodePlace }) {
  const models = useWorkspace((state) => state.models);
  const at = fileAt(models, place.file);
  if (!at) return place.text;
  return (
    <button
      type="button"
      className={css.place}
      title={`Open ${place.file} at line ${place.line}`}
      onClick={() => openFile(at.model, at.path, place.line)}
    >
      {place.text.replace(place.file, `${at.model}/${at.path}`)}
    </button>
  );
}

/** A text whose places in programs of the repository lead there. Their paths are written from the repository on. */
export function CodeText({ text, names = [] }: { text: string; names?: readonly string[] }) {
  return withPlaces(text).map((part, index) =>
    typeof part === "string" ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other name
      <Words key={index} text={part} names={names} />
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the same place may be named twice
      <Place key={index} place={part} />
    ),
  );
}
