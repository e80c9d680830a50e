import { type Diagnostic, Diagnostic_Severity } from "../../api/conch_pb";
import { explainRule } from "../../window/dialogs";
import { ProblemPlaces } from "../../workspace/ProblemPlaces";
import { ProblemText } from "../../workspace/ProblemText";
import { SeverityIcon } from "../../workspace/SeverityIcon";
import css from "./editor.module.css";

interface ProblemRowProps {
  diagnostic: Diagnostic;
  also: readonly Diagnostic[];
  model: string;
  path: string;
  onOpen: () => void;
  /** label is what is written on its button, where that is more than that it is a fix. */
  fix?: { title: string; safe: boolean; label?: string; run: () => void };
}

/** One problem: where and what; the row goes there, its fix repairs it. */
export function ProblemRow({ diagnostic, also, model, path, onOpen, fix }: ProblemRowProps) {
  const { severity, triton, line, message, code } = diagnostic;
  return (
    <li className={css.problem} data-error={severity === Diagnostic_Severity.ERROR || undefined}>
      <div className={css.problemText}>
        <button type="button" className={css.problemMain} title={triton || undefined} onClick={onOpen}>
          <SeverityIcon severity={severity} />
          <span className={css.where}>line {line}</span>
          <span className={css.message}>
            <ProblemText text={message} />
          </span>
        </button>
        <ProblemPlaces className={css.related} found={diagnostic} also={also} model={model} path={path} />
      </div>
      {code !== "" && (
        <button
          type="button"
          className={css.code}
          aria-label={`Explain ${code}`}
          onClick={() => explainRule(code)}
        >
          {code}
        </button>
      )}
      {fix && (
        <button
          type="button"
          className={css.fix}
          title={fix.title}
          aria-label={`${fix.safe ? "Fix" : "Suggestion"}: ${fix.title}`}
          onClick={fix.run}
        >
          {fix.label ?? (fix.safe ? "Fix" : "Suggestion")}
        </button>
      )}
    </li>
  );
}
