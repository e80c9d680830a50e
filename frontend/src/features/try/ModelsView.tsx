/** A picture as the model gets it: after the conversion, read back from the bytes that are sent. */
import { useEffect, useRef, useState } from "react";
import type { Pixels } from "../../lib/image";
import type { Picture } from "../../lib/picture";
import { conversionOf, type InputDraft, type Slot } from "../../requests/tryDrafts";
import css from "./inputs.module.css";

type Props = {
  readonly slot: Slot;
  readonly draft: InputDraft;
  readonly picture: Picture;
  readonly drawn?: boolean; // the picture before is the same drawing: its view stays until the next one is made
};

export function ModelsView({ slot, draft, picture, drawn = false }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const newest = useView(slot, draft, picture);
  const seen = drawn || newest?.of === picture ? newest?.pixels : undefined;
  useEffect(() => {
    const context = canvas.current?.getContext("2d");
    if (!context || !seen) return;
    const image = context.createImageData(seen.width, seen.height);
    image.data.set(seen.data);
    context.putImageData(image, 0, 0);
  }, [seen]);
  if (!seen) return null;
  return (
    <canvas
      ref={canvas}
      className={css.thumb}
      data-coarse={Math.max(seen.width, seen.height) < 64}
      width={seen.width}
      height={seen.height}
      role="img"
      aria-label="What the model gets"
      title={`What the model gets: ${seen.width} × ${seen.height}`}
    />
  );
}

type View = { readonly of: Picture; readonly pixels: Pixels };

/** The view of the newest conversion that is made. None where it fails: the sentence beside the input says why. */
function useView(slot: Slot, draft: InputDraft, picture: Picture): View | undefined {
  const [view, setView] = useState<View>();
  const { datatype } = slot.spec;
  const conversion = conversionOf(slot, draft);
  const wanted = conversion && JSON.stringify(conversion);
  useEffect(() => {
    let over = false;
    const show = (pixels: Pixels | undefined) => {
      if (!over) setView(pixels && { of: picture, pixels });
    };
    if (!wanted) show(undefined);
    else
      picture.converted(JSON.parse(wanted), datatype).then(
        (made) => show(made.view),
        () => show(undefined),
      );
    return () => {
      over = true;
    };
  }, [picture, wanted, datatype]);
  return view;
}
