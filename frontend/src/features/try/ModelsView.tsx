/** A picture as the model gets it: after the conversion, read back from the bytes that are sent. */
import { useEffect, useMemo, useRef } from "react";
import { convert, type Pixels, preview } from "../../lib/image";
import { conversionOf, type InputDraft, type Slot } from "../../requests/tryDrafts";
import css from "./inputs.module.css";

type Props = { readonly slot: Slot; readonly draft: InputDraft; readonly pixels: Pixels };

export function ModelsView({ slot, draft, pixels }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const seen = useMemo(() => converted(slot, draft, pixels), [slot, draft, pixels]);
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

/** Nothing where the conversion fails: the sentence beside the input says why. */
function converted(slot: Slot, draft: InputDraft, pixels: Pixels): Pixels | undefined {
  const { datatype } = slot.spec;
  const conversion = conversionOf(slot, draft);
  try {
    return conversion && preview(convert(pixels, conversion, datatype), conversion, datatype);
  } catch {
    return undefined;
  }
}
