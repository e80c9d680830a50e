/** One problem of a file: where, what, the rule, and what can be done about it. */
import { Undo2 } from "lucide-react";
import { useRef, useState } from "react";
import { type Diagnostic, Diagnostic_Severity, type FileProblems, type Fix } from "../../api/conch_pb";
import { cx } from "../../lib/cx";
import { count } from "../../lib/format";
import { Button } from "../../ui/Button";
import { explainRule } from "../../window/dialogs";
import { revealInConfig, revealOf } from "../../window/place";
import { Fixes } from "../../workspace/Fixes";
import { ProblemPlaces } from "../../workspace/ProblemPlaces";
import { ProblemText } from "../../workspace/ProblemText";
import { SeverityIcon } from "../../workspace/SeverityIcon";
import css from "./problems.module.css";

type Props = {
  readonly file: FileProblems;
  readonly found: Diagnostic;
  readonly also: readonly Diagnostic[];
  /** It has been repaired since the pointer came over the list; the row stays, so that the next does not slide under it. */
  readonly over: boolean;
  readonly undo: (() => void) | undefined;
  /** How many problems its model has since then that are not listed. */
  readonly waiting: number;
  readonly onShow: () => void;
  readonly onFix: (fix: Fix) => void;
};

export function ProblemRow({ file, found, also, over, undo, waiting, onShow, onFix }: Props) {
  const item = useRef<HTMLLIElement>(null);
  const [height, setHeight] = useState<number>(); // as the row was: it keeps its room when it says less
  const fix = (chosen: Fix) => {
    setHeight(item.current?.offsetHeight);
    onFix(chosen);
  };
  const words = (
    <>
      <SeverityIcon severity={over ? Diagnostic_Severity.UNSPECIFIED : found.severity} />
      {file.model && <span className={css.where}>line {found.line}</span>}
      <span className={css.message}>
        <ProblemText text={found.message} />
      </span>
    </>
  );
  const row = { className: css.row, title: found.triton || undefined };
  return (
    <li
      ref={item}
      className={cx(css.problem, over && css.over)}
      style={over && height ? { minHeight: height } : undefined}
    >
      <div className={css.text}>
        {file.model ? (
          <button
            type="button"
            {...row}
            onClick={() => revealInConfig(file.model, revealOf({ ...found, path: file.path }))}
          >
            {words}
          </button>
        ) : (
          <div {...row}>{words}</div> // no file that could be shown
        )}
        {!over && (
          <ProblemPlaces
            className={css.related}
            found={found}
            also={also}
            model={file.model}
            path={file.path}
          />
        )}
      </div>
      {!over && found.code !== "" && <RuleCode code={found.code} />}
      {over && (
        <span className={css.done}>
          <span className={cx(css.fixed, waiting > 0 && css.partly)}>Fixed</span>
          {waiting > 0 && (
            <Button small onClick={onShow}>
              Show {count(waiting, "new problem")}
            </Button>
          )}
          {undo && (
            <Button small icon={<Undo2 />} onClick={undo}>
              Undo
            </Button>
          )}
        </span>
      )}
      {!over && <Fixes fixes={found.fixes} onFix={fix} />}
    </li>
  );
}

/** A rule's ID, which opens its explanation. */
function RuleCode({ code }: { code: string }) {
  return (
    <button
      type="button"
      className={css.code}
      aria-label={`Explain ${code}`}
      onClick={() => explainRule(code)}
    >
      {code}
    </button>
  );
}
