import { useEffect, useState } from "react";
import { whyOff } from "../../workspace/workspace";
import { dropAgain, isKeptBack } from "./keptBack";
import { takeDrop, tellNotTaken } from "./newModel";

/** The editor's library would put a file into the text, or drop it silently where it is not text. */
const isOnText = ({ target }: DragEvent) =>
  target instanceof Element && target.closest(".cm-editor") !== null;

const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes("Files") ?? false;

/**
 * Makes a file that is dropped on the window a new model, where nothing below takes it. Without this a
 * browser would show the file in place of the page. Reports whether a file is held over the window.
 */
export function useModelDrop(isOpen: boolean): boolean {
  const [over, setOver] = useState(false);
  useEffect(() => {
    let isOwn = false;
    const onStart = () => {
      isOwn = true;
    };
    const onEnd = () => {
      isOwn = false;
    };
    const onOver = (event: DragEvent) => {
      if (!hasFiles(event) && (isOwn || !isKeptBack(event))) return;
      const taken = event.defaultPrevented;
      event.preventDefault();
      setOver(isOpen && !taken);
    };
    const onLeave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false);
    };
    const onDrop = (event: DragEvent) => {
      if (!hasFiles(event) || event.defaultPrevented) return;
      event.preventDefault();
      const why = isOpen ? whyOff("app") : "No repository is open";
      if (!event.dataTransfer) return;
      if (why === undefined) takeDrop(event.dataTransfer);
      else tellNotTaken(event.dataTransfer.files, why);
    };
    const beforeAll = (event: DragEvent) => {
      setOver(false);
      if (!isOwn && !hasFiles(event) && isKeptBack(event)) {
        event.preventDefault();
        event.stopPropagation();
        void dropAgain(event.target);
        return;
      }
      if (!hasFiles(event) || !isOnText(event)) return;
      event.stopPropagation();
      onDrop(event);
    };
    window.addEventListener("dragstart", onStart);
    window.addEventListener("dragend", onEnd);
    window.addEventListener("dragover", onOver);
    window.addEventListener("dragleave", onLeave);
    window.addEventListener("drop", onDrop);
    window.addEventListener("drop", beforeAll, true);
    return () => {
      window.removeEventListener("dragstart", onStart);
      window.removeEventListener("dragend", onEnd);
      window.removeEventListener("dragover", onOver);
      window.removeEventListener("dragleave", onLeave);
      window.removeEventListener("drop", onDrop);
      window.removeEventListener("drop", beforeAll, true);
    };
  }, [isOpen]);
  return over;
}
