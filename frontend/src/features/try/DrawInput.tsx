/** Drawing the picture that is sent. */
import { useEffect, useRef, useState } from "react";
import { boardSize, plainBoard } from "../../lib/board";
import { describeConversion } from "../../lib/conversions";
import type { Conversion, Size } from "../../lib/image";
import { inkPicture } from "../../requests/parts";
import { conversionOf, type Drawing } from "../../requests/tryDrafts";
import { Button } from "../../ui/Button";
import { drawingKeys, isPress, readable } from "../../window/keys";
import { ChangeConversion } from "./ConversionForm";
import { createBoard, type DrawingBoard, type Pen } from "./drawing";
import type { InputProps } from "./inputProps";
import css from "./inputs.module.css";
import { ModelsView } from "./ModelsView";

const boardHeight = 174; // to draw on; a wide board is as wide as that makes it, where there is room
const leastHeight = 48; // to write in; a board that is wider than its place then is moved under its window

/** Whether the board has a line of its own, above what is said of it. */
const isWide = ({ width, height }: Size) => width >= 2 * height;

export function DrawInput(props: InputProps) {
  const { slot, draft, onChange } = props;
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
          {conversion && <ChangeConversion {...props} conversion={conversion} />}
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
    </div>
  );
}

function emptyPage(conversion: Conversion | undefined): Drawing {
  const { width, height } = sizeOf(conversion);
  return { width, height, ink: new Uint8Array(width * height) };
}

const sizeOf = (conversion: Conversion | undefined) => (conversion ? boardSize(conversion) : plainBoard);

/** How much room a board takes: all of its shorter side that there is place for, and enough of it to draw on. */
function room({ width, height }: Size): { readonly minWidth: number; readonly maxWidth: number } {
  const ratio = width / height;
  return {
    minWidth: Math.round(leastHeight * Math.max(1, ratio)),
    maxWidth: Math.round(Math.max(leastHeight, boardHeight * ratio)),
  };
}

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
      <div className={css.sheet} style={room({ width, height })}>
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
      </div>
      {!draft.drawing && <span className={css.boardHint}>Draw here</span>}
    </div>
  );
}

/** Where the pen of the keys is. */
function PenSign({ pen, width, height }: { pen: Pen; width: number; height: number }) {
  const sign = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    if (pen) sign.current?.scrollIntoView?.({ block: "nearest", inline: "nearest" });
  }, [pen]);
  const place = { left: `${(100 * pen.x) / width}%`, top: `${(100 * pen.y) / height}%` };
  return <span ref={sign} className={css.pen} data-down={pen.down} style={place} />;
}

function Facts({ draft, conversion }: PartProps<Conversion>) {
  const { width, height } = draft.drawing ?? boardSize(conversion);
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
