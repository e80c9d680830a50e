/** How many rows the request has: one number for all inputs. */
import { count } from "../../lib/format";
import { patchTry, tryOf, useTries } from "../../requests/tries";
import { Button } from "../../ui/Button";
import css from "./inputs.module.css";
import { NumberField } from "./NumberField";

const largestBatch = 1_000_000;

type Props = {
  readonly model: string;
  readonly most: number; // the model's max_batch_size
  readonly short: number; // inputs that hold fewer rows
  readonly onRepeat: () => void;
};

export function BatchLine({ model, most, short, onRepeat }: Props) {
  const batch = useTries((state) => tryOf(model)(state).batch);
  const unfinished = useTries((state) => tryOf(model)(state).batchTyped);
  return (
    <div className={css.batch}>
      <div className={css.batchLine}>
        <NumberField
          rule={{ name: "Batch size", whole: true, least: 1, most: largestBatch }}
          value={batch}
          unfinished={unfinished}
          onChange={(next) => patchTry(model, { batch: next, batchTyped: undefined })}
          onUnfinished={(next) => patchTry(model, { batchTyped: next })}
        />
        <span className={css.hint}>rows per input, up to {most.toLocaleString("en")}</span>
      </div>
      {unfinished && (
        <p className={css.problem} role="alert">
          {unfinished.problem}
        </p>
      )}
      {!unfinished && batch > most && (
        <p className={css.warning}>
          The model's max_batch_size is {most.toLocaleString("en")}: it will refuse a larger batch
        </p>
      )}
      {short > 1 && (
        <div className={css.ways}>
          <span className={css.hint}>{count(short, "input")} hold fewer rows</span>
          <Button small onClick={onRepeat}>
            Repeat their rows
          </Button>
        </div>
      )}
    </div>
  );
}
