/** Chooses the span of time that charts show. */
import { ranges } from "../lib/range";
import { Segmented } from "../ui/Segmented";
import { setRange, useRange } from "./range";

const options = ranges.map(({ id, label, title }) => ({ value: id, label, title }));

export function RangePicker() {
  const range = useRange((state) => state.range);
  return <Segmented label="Range of time" value={range} options={options} onChange={setRange} />;
}
