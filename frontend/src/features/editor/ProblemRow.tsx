import { type Diagnostic, Diagnostic_Severity, type Related } from "../../api/conch_pb";
import { Words } from "../../ui/Words";
import { explainRule } from "../../window/dialogs";
import { revealInConfig, revealOf } from "../../window/place";
import { repeats } from "../../workspace/repeats";
import { SeverityIcon } from "../../workspace/SeverityIcon";
import css from "./editor.module.css";

interface RelatedProps {
  related: readonly Related[];
  model: string;
  /** The message above them: what it says is not said again. */
  message: string;
}

/** Other places that belong to a problem, each a way there. */
export function RelatedPlaces({ related, model, message }: RelatedProps) {
  return related.map((place) => (
    <button
      key={`${place.model} ${place.from} ${place.line} ${place.message}`}
      type="button"
      className={css.related}
      onClick={() => revealInConfig(place.model, revealOf(place))}
    >
      {place.model === model ? `line ${place.line}` : `${place.model}, line ${place.line}`}
      {!repeats(message, place.message) && `: ${place.message}`}
    </button>
  ));
}

interface ProblemRowProps {
  diagnostic: Diagnostic;
  model: string;
  onOpen: () => void;
  /** label is what is written on its button, where that is more than that it is a fix. */
  fix?: { title: string; safe: boolean; label?: string; run: () => void };
}

/** One problem: where and what; the row goes there, its fix repairs it. */
export function ProblemRow({ diagnostic, model, onOpen, fix }: ProblemRowProps) {
  const { severity, triton, line, message, code, related } = diagnostic;
  return (
    <li className={css.problem} data-error={severity === Diagnostic_Severity.ERROR || undefined}>
      <div className={css.problemText}>
        <button type="button" className={css.problemMain} title={triton || undefined} onClick={onOpen}>
          <SeverityIcon severity={severity} />
          <span className={css.where}>line {line}</span>
          <span className={css.message}>
            <Words text={message} />
          </span>
        </button>
        <RelatedPlaces related={related} model={model} message={message} />
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
