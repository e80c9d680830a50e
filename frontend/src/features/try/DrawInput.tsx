/** Drawing the picture that is sent. */
import { useEffect, useRef, useState } from "react";
import { describeConversion } from "../../lib/conversions";
import type { Conversion, Size } from "../../lib/image";
import { inkPicture } from "../../requests/parts";
import { conversionOf, type Drawing } from "../../requests/tryDrafts";
import { Button } from "../../ui/Button";
import { drawingKeys, isPress, readable } from "../../window/keys";
import { ConversionForm, ConversionLink } from "./ConversionForm";
import { createBoard, type DrawingBoard, type Pen } from "./drawing";
import type { InputProps } from "./inputProps";
import css from "./inputs.module.css";
import { ModelsView } from "./ModelsView";

const leastSide = 28; // a coarser board cannot show a digit
const mostSide = 112; // a finer one would need a finer pen

/** The board has the picture's proportions, and its very pixels where they are of a size to draw with. */
function boardSize({ width, height }: Conversion): Size {
  const least = Math.min(width, height);
  const ratio = least < leastSide ? leastSide / least : Math.min(1, mostSide / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * ratio)), height: Math.max(1, Math.round(height * ratio)) };
}

const boardHeight = 174; // to draw on; a wide board is as wide as that makes it, where there is room

/** Whether the board has a line of its own, above what is said of it. */
const isWide = ({ width, height }: Size) => width >= 2 * height;

export function DrawInput(props: InputProps) {
  const { slot, draft, onChange } = props;
  const [converting, setConverting] = useState(false);
  const conversion = conversionOf(slot, draft);
  const { drawing } = draft;
  return (
    <div>
      <div className={css.drawBox} data-wide={isWide(sizeOf(conversion))}>
        <Board {...props} conversion={conversion} />
        <div className={css.drawSide}>
          {conversion ? (
            <Facts {...props} conversion={conversion} />
          ) : (
            <div>This shape does not hold a picture</div>
          )}
          {conversion && <ConversionLink open={converting} onToggle={setConverting} />}
          <div className={css.drawActions}>
            {drawing && <ModelsView slot={slot} draft={draft} picture={inkPicture(drawing)} drawn />}
            {drawing ? (
              <Button small onClick={() => onChange({ drawing: undefined })}>
                Clear
              </Button>
            ) : (
              <Button small onClick={() => onChange({ drawing: emptyPage(conversion) })}>
                Use empty page
              </Button>
            )}
          </div>
        </div>
      </div>
      {conversion && converting && <ConversionForm {...props} conversion={conversion} />}
    </div>
  );
}

function emptyPage(conversion: Conversion | undefined): Drawing {
  const { width, height } = sizeOf(conversion);
  return { width, height, ink: new Uint8Array(width * height) };
}

const sizeOf = (conversion: Conversion | undefined) =>
  conversion ? boardSize(conversion) : { width: leastSide, height: leastSide };

type PartProps<C> = InputProps & { readonly conversion: C };

function Board({ slot, draft, conversion, onChange }: PartProps<Conversion | undefined>) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [board, setBoard] = useState<DrawingBoard>();
  const [pen, setPen] = useState<Pen>();
  const { width, height } = sizeOf(conversion);
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
      onPen: setPen,
    });
    setBoard(made);
    return () => made.destroy();
  }, [width, height]);
  useEffect(() => board?.show(draft.drawing), [board, draft.drawing]);
  return (
    <div className={css.board}>
      <div className={css.sheet} style={{ maxWidth: Math.max(boardHeight, boardHeight * (width / height)) }}>
        <canvas
          ref={canvas}
          className={css.paper}
          style={{ aspectRatio: `${width} / ${height}` }}
          role="img"
          tabIndex={0}
          aria-label={`Draw ${slot.spec.name}`}
          aria-description={`${readable(drawingKeys.pen)} move the pen. ${readable(drawingKeys.ink)} puts it down or lifts it.`}
          onKeyDown={(event) => {
            if (isPress(event, drawingKeys.erase)) onChange({ drawing: undefined });
            else if (!board?.press(event)) return;
            event.preventDefault();
          }}
          onBlur={() => setPen(undefined)}
        />
        {pen && <PenSign pen={pen} width={width} height={height} />}
        <span className="visually-hidden" role="status">
          {pen && (pen.down ? "The pen is down" : "The pen is up")}
        </span>
        {!draft.drawing && <span className={css.boardHint}>Draw here</span>}
      </div>
    </div>
  );
}

/** Where the pen of the keys is. */
function PenSign({ pen, width, height }: { pen: Pen; width: number; height: number }) {
  const place = { left: `${(100 * pen.x) / width}%`, top: `${(100 * pen.y) / height}%` };
  return <span className={css.pen} data-down={pen.down} style={place} />;
}

function Facts({ draft, conversion }: PartProps<Conversion>) {
  const { width, height } = boardSize(conversion);
  const source = { text: `Drawn ${width} × ${height}, grey`, width, height };
  const empty = draft.drawing?.ink.every((value) => value === 0);
  return (
    <>
      {describeConversion(conversion, source).map((line) => (
        <div key={line}>{line}</div>
      ))}
      {empty && <div className={css.warning}>The page is empty: every value is the same</div>}
    </>
  );
}
