import { useEffect, useRef } from "react";
import type { DescribeConversionResponse } from "../../api/conch_pb";
import { bytes, count } from "../../lib/format";
import { FilesButton } from "../../ui/FilesButton";
import { NumberBox } from "../../ui/NumberBox";
import { toastError } from "../../window/toasts";
import { aboutRandom, type Choice, exampleOf, isCompared, usualRandom } from "./choice";
import css from "./convert.module.css";
import { mostBytes } from "./typedRequests";

interface Props {
  readonly of: DescribeConversionResponse;
  readonly choice: Choice;
  readonly onChange: (choice: Choice) => void;
}

interface CheckProps {
  readonly label: string;
  readonly on: boolean;
  readonly onChange: (on: boolean) => void;
}

function Check({ label, on, onChange }: CheckProps) {
  return (
    <label className={css.check}>
      <input type="checkbox" checked={on} onChange={({ target }) => onChange(target.checked)} />
      {label}
    </label>
  );
}

/** Requests as text, typed or from a file. */
function Written({ of, choice, onChange }: Props) {
  const now = useRef(choice); // a large file takes a while, in which more may be chosen
  useEffect(() => {
    now.current = choice;
  });
  const reading = useRef(0); // the file that was chosen last counts
  const read = (file: File | undefined) => {
    if (file && file.size > mostBytes)
      return toastError(
        `${file.name} was not read`,
        new Error(`it has ${bytes(file.size)}, and ${bytes(mostBytes)} are the most`),
        { names: [file.name] },
      );
    const { json: before } = now.current;
    const mine = ++reading.current;
    void file
      ?.text()
      .then((json) => {
        const { json: written } = now.current;
        if (mine === reading.current && written === before) onChange({ ...now.current, json });
      })
      .catch((error: unknown) => toastError(`${file.name} could not be read`, error, { names: [file.name] }));
  };
  return (
    <div className={css.written}>
      <textarea
        aria-label="Requests as JSON"
        rows={5}
        spellCheck={false}
        placeholder={exampleOf(of)}
        value={choice.json}
        onChange={({ target }) => onChange({ ...choice, json: target.value })}
      />
      <p className={css.small}>
        One request in the JSON of the inference protocol, or a list of them.{" "}
        <FilesButton
          small
          single
          accept=".json,application/json"
          of="File of requests"
          onFiles={([file]) => read(file)}
        >
          From a file…
        </FilesButton>
      </p>
    </div>
  );
}

/** Which requests both models answer. */
export function Requests({ of, choice, onChange }: Props) {
  const { savedRequests } = of;
  return (
    <fieldset className={css.requests}>
      <legend>Requests that both models answer</legend>
      {savedRequests > 0 && (
        <Check
          label={`${count(savedRequests, "request")} sent in Try`}
          on={choice.saved}
          onChange={(saved) => onChange({ ...choice, saved })}
        />
      )}
      <Check
        label="The one that is in Try now"
        on={choice.typed}
        onChange={(typed) => onChange({ ...choice, typed })}
      />
      <div className={css.check}>
        <Check
          label="Random values"
          on={choice.random > 0}
          onChange={(on) => onChange({ ...choice, random: on ? usualRandom : 0 })}
        />
        {choice.random > 0 && (
          <NumberBox
            label="How many random requests"
            value={choice.random}
            min={1}
            max={64}
            onChange={(random) => onChange({ ...choice, random })}
          />
        )}
      </div>
      <Check
        label="Written here"
        on={choice.written}
        onChange={(written) => onChange({ ...choice, written })}
      />
      {choice.written && <Written of={of} choice={choice} onChange={onChange} />}
      {choice.random > 0 && <p className={css.small}>{aboutRandom(choice, savedRequests)}</p>}
      {!isCompared(choice, savedRequests) && (
        <p className={css.warn}>
          Without a request nothing is compared{choice.target === "int8" && ", and INT8 is not calibrated"}.
        </p>
      )}
    </fieldset>
  );
}
