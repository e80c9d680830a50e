/** Drawing the picture that is sent. */
import { useEffect, useRef, useState } from "react";
import { describeConversion } from "../../lib/conversions";
import type { Conversion } from "../../lib/image";
import { conversionOf } from "../../requests/tryDrafts";
import { Button } from "../../ui/Button";
import { ConversionForm, ConversionLink } from "./ConversionForm";
import { createBoard, type DrawingBoard } from "./drawing";
import type { InputProps } from "./inputProps";
import css from "./try.module.css";

const leastSide = 28; // a coarser board cannot show a digit
const mostSide = 112; // a finer one would need a finer pen

/** The board has the picture's proportions, and its very pixels where they are of a size to draw with. */
function boardSize({ width, height }: Conversion): { width: number; height: number } {
  const least = Math.min(width, height);
  const ratio = least < leastSide ? leastSide / least : Math.min(1, mostSide / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * ratio)), height: Math.max(1, Math.round(height * ratio)) };
}

export function DrawInput({ spec, draft, onChange }: InputProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [board, setBoard] = useState<DrawingBoard>();
  const [converting, setConverting] = useState(false);
  const conversion = conversionOf(spec, draft);
  const { width, height } = conversion ? boardSize(conversion) : { width: leastSide, height: leastSide };
  const changed = useRef(onChange);
  useEffect(() => {
    changed.current = onChange;
  });
  useEffect(() => {
    if (!canvas.current) return;
    const made = createBoard(canvas.current, {
      width,
      height,
      onDrawn: (drawing) => changed.current({ drawing }),
    });
    setBoard(made);
    return () => made.destroy();
  }, [width, height]);
  useEffect(() => board?.show(draft.drawing), [board, draft.drawing]);
  return (
    <div>
      <div className={css.drawBox}>
        <div className={css.board}>
          <canvas
            ref={canvas}
            className={css.paper}
            style={{ aspectRatio: `${width} / ${height}` }}
            role="img"
            tabIndex={0}
            aria-label={`Draw ${spec.name}`}
            onKeyDown={(event) => {
              if (event.key === "Delete" || event.key === "Backspace") onChange({ drawing: undefined });
            }}
          />
          {!draft.drawing && <span className={css.boardHint}>Draw here</span>}
        </div>
        <div className={css.drawSide}>
          {conversion ? (
            describeConversion(conversion, { text: `Drawn ${width} × ${height}, grey`, width, height }).map(
              (line) => <div key={line}>{line}</div>,
            )
          ) : (
            <div>Not the shape of a picture</div>
          )}
          {conversion && <ConversionLink open={converting} onToggle={setConverting} />}
          <div className={css.drawActions}>
            <Button small disabled={!draft.drawing} onClick={() => onChange({ drawing: undefined })}>
              Clear
            </Button>
          </div>
        </div>
      </div>
      {conversion && converting && (
        <ConversionForm conversion={conversion} onChange={(next) => onChange({ conversion: next })} />
      )}
    </div>
  );
}
