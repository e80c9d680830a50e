import type { ExportProblem } from "../../api/conch_pb";
import { ProblemText } from "../../workspace/ProblemText";
import { asSentence } from "../../workspace/workspace";
import type { Choice } from "./ChoiceForm";
import css from "./HandoverDialog.module.css";

/** What would not run there, with the reasons. */
export function Problems({ list, choice }: { list: readonly ExportProblem[]; choice: Choice }) {
  if (list.length === 0) {
    return (
      <p className={css.fine} role="status">
        Nothing was found that would not run there.
      </p>
    );
  }
  return (
    <section className={css.problems} aria-label="What would not run there">
      <h3>
        What would not run {choice.release && `with Triton ${choice.release}`} ({list.length})
      </h3>
      <ul>
        {list.map(({ model, path, rule, text }) => (
          <li key={`${model} ${path} ${rule} ${text}`}>
            <strong className={model && "mono"}>{model || "The repository"}</strong>
            <span>
              <ProblemText text={asSentence(text)} /> {rule && <code>{rule}</code>}
            </span>
            {path && <small className="mono">{path}</small>}
          </li>
        ))}
      </ul>
    </section>
  );
}
