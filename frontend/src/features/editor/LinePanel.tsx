import { Hash, X } from "lucide-react";
import { useId, useState } from "react";
import { Button } from "../../ui/Button";
import { TextField } from "../../ui/TextField";
import css from "./search.module.css";

type Props = {
  readonly lines: number;
  readonly line: number; // where the cursor is
  readonly onGo: (line: number, column: number) => void;
  readonly onClose: () => void;
};

/** A line, or a line and a column: "12", "12:5". */
const place = /^\s*(\d+)\s*(?::\s*(\d+)\s*)?$/;

/** Asks for a line of the text. */
export function LinePanel({ lines, line, onGo, onClose }: Props) {
  const id = useId();
  const [text, setText] = useState(String(line));
  const [bad, setBad] = useState("");
  const go = () => {
    const found = place.exec(text);
    const number = Number(found?.[1]);
    if (!found) setBad("Type the number of a line, such as 12, or of a line and a column, such as 12:5");
    else if (number < 1 || number > lines)
      setBad(`The text has the lines 1 to ${lines.toLocaleString("en")}`);
    else onGo(number, Math.max(1, Number(found[2] ?? 1)));
  };
  return (
    <form
      className={css.panel}
      aria-label="Go to a line"
      onSubmit={(event) => {
        event.preventDefault();
        go();
      }}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.preventDefault();
        event.stopPropagation();
        onClose();
      }}
    >
      <div className={css.row}>
        <TextField
          className={css.field}
          icon={<Hash />}
          aria-label="Line"
          placeholder={`Line 1 to ${lines}, or line:column`}
          line-field="true"
          inputMode="numeric"
          value={text}
          invalid={bad !== ""}
          aria-describedby={bad === "" ? undefined : id}
          onChange={({ target }) => {
            setText(target.value);
            setBad("");
          }}
        />
        <span className={css.count}>of {lines.toLocaleString("en")}</span>
        <Button small type="submit">
          Go
        </Button>
        <Button
          small
          look="ghost"
          icon={<X />}
          aria-label="Close the line bar"
          title="Close (Esc)"
          onClick={onClose}
        />
      </div>
      {bad !== "" && (
        <p id={id} className={css.bad} role="alert">
          {bad}
        </p>
      )}
    </form>
  );
}
