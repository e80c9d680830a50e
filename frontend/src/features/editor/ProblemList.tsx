import { useStore } from "zustand";
import { type Diagnostic, Diagnostic_Severity, type FileProblems, type Fix } from "../../api/conch_pb";
import { cx } from "../../lib/cx";
import { count } from "../../lib/format";
import { Badge } from "../../ui/Badge";
import { goToModel, goToRepository, revealInConfig, revealOf } from "../../window/place";
import { makesFile } from "../../workspace/repair";
import { useTelling } from "../../workspace/told";
import { useWorkspace } from "../../workspace/workspace";
import css from "./editor.module.css";
import type { Finding } from "./findings";
import { ProblemRow } from "./ProblemRow";
import { isConfig } from "./program";
import type { Session } from "./session";
import { jump } from "./sessions";

const ROWS_SHOWN = 200;

const labelOf = ({ file }: Fix) => file && `Write ${file.path}`;

function Own({ finding, session }: { finding: Finding; session: Session }) {
  const { diagnostic } = finding;
  const [first] = diagnostic.fixes;
  const readOnly = useStore(session.store, (state) => state.readOnly);
  const fix = first && (!readOnly || makesFile(first)) ? first : undefined;
  return (
    <ProblemRow
      diagnostic={diagnostic}
      model={session.file.model}
      onOpen={() => jump(session, 0, 0, finding)}
      fix={fix && { title: fix.title, safe: fix.safe, label: labelOf(fix), run: () => session.fix(finding) }}
    />
  );
}

const followsFrom = (found: Diagnostic, here: string): boolean =>
  found.follows && found.related.some(({ model }) => model === here);

/** Of what follows from a problem in this file, only where it first follows, and how often: the problem is in the list already. */
function withConsequences(diagnostics: readonly Diagnostic[], here: string): readonly Diagnostic[] {
  const steps = diagnostics.filter((found) => followsFrom(found, here));
  const message =
    steps.length === 1 ? "This step does not load either" : `${steps.length} steps do not load either`;
  return diagnostics.flatMap((found) => {
    if (!followsFrom(found, here)) return [found];
    return found === steps[0] ? [{ ...found, message, related: [] }] : [];
  });
}

/** What the text in the editor does to a model that uses this one. */
function Dependant({ problems, here }: { problems: FileProblems; here: string }) {
  const { model, path, diagnostics } = problems;
  return (
    <>
      <li className={css.group}>In {model}, which uses this model</li>
      {withConsequences(diagnostics, here).map((diagnostic) => (
        <ProblemRow
          key={`${diagnostic.code} ${diagnostic.from} ${diagnostic.message}`}
          diagnostic={diagnostic}
          model={model}
          onOpen={() => revealInConfig(model, revealOf({ ...diagnostic, path }))}
        />
      ))}
    </>
  );
}

/** The problems of what an ensemble is made of: without them it does not work either, whatever its own file says. */
function Parts({ model }: { model: string }) {
  const models = useWorkspace((state) => state.models);
  const troubled = (models.get(model)?.uses ?? []).filter((name) => sum(models.get(name)) > 0);
  const [only, ...others] = troubled;
  if (only === undefined) return null;
  const total = troubled.reduce((so, name) => so + sum(models.get(name)), 0);
  const alone = others.length === 0;
  return (
    <button
      type="button"
      className={css.elsewhere}
      onClick={() => (alone ? goToModel(only) : goToRepository("problems"))}
    >
      {total} in {alone ? only : `${troubled.length} models`} that it uses
    </button>
  );
}

const sum = (counted?: { errors: number; warnings: number }) =>
  counted ? counted.errors + counted.warnings : 0;

/** Where the problems of this file were made. */
function whereMade(own: number, shown: number, path: string): string {
  if (own > 0) return "in this file";
  if (shown === 0) return "None in this file";
  return isConfig(path) ? "None with its cause in this file" : "Counted with the problems of the config";
}

/** Counts as `conch check` does: what only follows from an error in another model is shown here and counted there. */
function Head({ session, findings }: { session: Session; findings: readonly Finding[] }) {
  const own = findings.filter(({ diagnostic }) => !diagnostic.follows);
  const hasErrors = own.some(({ diagnostic }) => diagnostic.severity === Diagnostic_Severity.ERROR);
  return (
    <div className={css.problemsHead}>
      <b>Problems</b>
      <Badge count={own.length} tone={hasErrors ? "err" : "warn"} label={count(own.length, "problem")} />
      <span className="dim">{whereMade(own.length, findings.length, session.file.path)}</span>
      <Parts model={session.file.model} />
    </div>
  );
}

/** The problems of the text in the editor, and those it causes in the models that use this one. */
export function ProblemList({ session }: { session: Session }) {
  const findings = useStore(session.store, (state) => state.findings);
  const dependants = useStore(session.store, (state) => state.dependants);
  const none = findings.length + dependants.length === 0;
  useTelling(
    "list",
    findings.slice(0, ROWS_SHOWN).map(({ diagnostic }) => diagnostic.message),
  );
  return (
    <section className={cx(css.problems, none && css.noProblems)} aria-label="Problems">
      <Head session={session} findings={findings} />
      {!none && (
        <ul className={css.problemRows}>
          {findings.slice(0, ROWS_SHOWN).map((finding) => (
            <Own
              key={`${finding.diagnostic.code} ${finding.from} ${finding.diagnostic.message}`}
              finding={finding}
              session={session}
            />
          ))}
          {findings.length > ROWS_SHOWN && <li className={css.more}>{findings.length - ROWS_SHOWN} more</li>}
          {dependants.map((problems) => (
            <Dependant key={problems.model} problems={problems} here={session.file.model} />
          ))}
        </ul>
      )}
    </section>
  );
}
