/** The answers of a decoupled model, one at a time: the newest, until the reader chooses another. */
import { ChevronLeft, ChevronRight } from "lucide-react";
import { useState } from "react";
import type { InferResponse } from "../../api/conch_pb";
import { Button } from "../../ui/Button";
import { NumberBox } from "../../ui/NumberBox";
import { Outputs } from "./Outputs";
import css from "./try.module.css";

export function Stream({ parts }: { readonly parts: readonly InferResponse[] }) {
  const [chosen, setChosen] = useState<number>(); // undefined: the newest
  const last = parts.length - 1;
  const at = Math.min(chosen ?? last, last);
  const part = parts[at];
  if (!part) return <p className={css.hint}>No answer has come yet.</p>;
  if (parts.length === 1) return <Outputs outputs={part.outputs} />;
  const choose = (index: number) => setChosen(index >= last ? undefined : Math.max(0, index));
  return (
    <>
      <div className={css.picker}>
        <Button
          small
          look="ghost"
          icon={<ChevronLeft />}
          aria-label="The answer before"
          disabled={at === 0}
          onClick={() => choose(at - 1)}
        />
        <span className={css.picked}>
          Answer
          <NumberBox
            label="Answer"
            value={at + 1}
            min={1}
            max={parts.length}
            onChange={(n) => choose(n - 1)}
          />
        </span>
        <span className="dim">of {parts.length.toLocaleString("en")}</span>
        <Button
          small
          look="ghost"
          icon={<ChevronRight />}
          aria-label="The next answer"
          disabled={at === last}
          onClick={() => choose(at + 1)}
        />
      </div>
      <Outputs outputs={part.outputs} />
    </>
  );
}
