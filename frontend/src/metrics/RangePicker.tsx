/** Chooses the span of time that charts show. */
import { ZoomOut } from "lucide-react";
import { type RangeId, ranges, shortSpan, spanText } from "../lib/range";
import { Button } from "../ui/Button";
import { Segmented } from "../ui/Segmented";
import css from "./RangePicker.module.css";
import { setRange, useRange, zoomBack } from "./range";

const options = ranges.map(({ id, label, title }) => ({ value: id, label, title }));

export function RangePicker() {
  const { range, zoom } = useRange((state) => state.view);
  return (
    <span className={css.picker}>
      {zoom && (
        <Button
          small
          icon={<ZoomOut />}
          title="Show what was shown before (Escape, or a double click on a chart)"
          onClick={zoomBack}
        >
          <span className={css.span}>{spanText(zoom)}</span>
          <span className={css.short} aria-hidden="true">
            {shortSpan(zoom)}
          </span>
        </Button>
      )}
      <Segmented<RangeId | "">
        label="Range of time"
        value={zoom ? "" : range}
        options={options}
        onChange={(next) => next !== "" && setRange(next)}
      />
    </span>
  );
}
