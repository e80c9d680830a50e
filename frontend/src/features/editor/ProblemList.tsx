import { useMemo } from "react";
import { useStore } from "zustand";
import { type Diagnostic, Diagnostic_Severity, type FileProblems, type Fix } from "../../api/conch_pb";
import { cx } from "../../lib/cx";
import { count } from "../../lib/format";
import { Badge } from "../../ui/Badge";
import { Named } from "../../ui/Named";
import { goToModel, goToRepository, revealInConfig, revealOf } from "../../window/place";
import { type Grouped, grouped } from "../../workspace/consequences";
import { useFindings } from "../../workspace/findings";
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

function Own({ group, session }: { group: Grouped<Finding>; session: Session }) {
  const finding = group.row;
  const { diagnostic } = finding;
  const [first] = diagnostic.fixes;
  const readOnly = useStore(session.store, (state) => state.readOnly);
  const fix = first && (!readOnly || makesFile(first)) ? first : undefined;
  return (
    <ProblemRow
      diagnostic={diagnostic}
      also={group.also.map((one) => one.diagnostic)}
      model={session.file.model}
      path={session.file.path}
      onOpen={() => jump(session, 0, 0, finding)}
      fix={fix && { title: fix.title, safe: fix.safe, label: labelOf(fix), run: () => session.fix(finding) }}
    />
  );
}

/** Of what follows from a problem in this file only how much it stops: the problem is in the list already. */
function seenFrom({ row, also }: Grouped<Diagnostic>, here: string): Diagnostic {
  if (!row.follows || !row.related.some(({ model }) => model === here)) return row;
  const steps = also.length + 1;
  const message = steps === 1 ? "This step does not load either" : `${steps} steps do not load either`;
  return { ...row, message, related: [] };
}

/** What the text in the editor does to a model that uses this one. */
function Dependant({ problems, here }: { problems: FileProblems; here: string }) {
  const { model, path, diagnostics } = problems;
  return (
    <>
      <li className={css.group}>
        <Named text={`In ${model}, which uses this model`} names={[model]} />
      </li>
      {grouped(diagnostics, (found) => found).map((group) => (
        <ProblemRow
          key={`${group.row.code} ${group.row.from} ${group.row.message}`}
          diagnostic={seenFrom(group, here)}
          also={group.also}
          model={model}
          path={path}
          onOpen={() => revealInConfig(model, revealOf({ ...group.row, path }))}
        />
      ))}
    </>
  );
}

/** The problems of what an ensemble is made of: without them it does not work either, whatever its own file says. */
function Parts({ model }: { model: string }) {
  const models = useWorkspace((state) => state.models);
  const troubled = (models.get(model)?.uses ?? []).filter(
    (name) => name !== model && sum(models.get(name)) > 0,
  );
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

/** Whether it is counted in the list of models. */
const isOwn = ({ severity, follows }: Diagnostic) => severity !== Diagnostic_Severity.ADVICE && !follows;

/** The problems of the model's other files, such as its program; they are not listed here. */
function Others({ session }: { session: Session }) {
  const { model, path } = session.file;
  const others = useFindings().filter((file) => file.model === model && file.path !== path);
  return others.map(({ path, diagnostics }) => {
    const own = diagnostics.filter(isOwn);
    const [first] = own;
    if (!first) return null;
    return (
      <button
        key={path}
        type="button"
        className={css.elsewhere}
        onClick={() => revealInConfig(model, revealOf({ ...first, path }))}
      >
        {own.length} in <Named text={path} names={[path]} />
      </button>
    );
  });
}

/** Where the problems of this file were made. */
function whereMade(own: number, shown: number, path: string): string {
  if (own > 0) return "in this file";
  if (shown === 0) return "None in this file";
  return isConfig(path) ? "None with its cause in this file" : "Counted with the problems of the config";
}

/** Counts as the list of models and `conch check` do: what only follows from an error in another model is shown here and counted there. */
function Head({ session, findings }: { session: Session; findings: readonly Finding[] }) {
  const own = findings.filter(({ diagnostic }) => !diagnostic.follows);
  const of = (severity: Diagnostic_Severity) =>
    own.filter(({ diagnostic }) => diagnostic.severity === severity).length;
  const errors = of(Diagnostic_Severity.ERROR);
  const warnings = of(Diagnostic_Severity.WARNING);
  const advice = of(Diagnostic_Severity.ADVICE);
  return (
    <div className={css.problemsHead}>
      <b>Problems</b>
      <Badge count={errors} tone="err" label={count(errors, "error")} />
      <Badge count={warnings} tone="warn" label={count(warnings, "warning")} />
      <Badge count={advice} label={`${advice} to improve`} />
      <span className="dim">{whereMade(own.length, findings.length, session.file.path)}</span>
      <Others session={session} />
      <Parts model={session.file.model} />
    </div>
  );
}

/** The problems of the text in the editor, and those it causes in the models that use this one. */
export function ProblemList({ session }: { session: Session }) {
  const findings = useStore(session.store, (state) => state.findings);
  const dependants = useStore(session.store, (state) => state.dependants);
  const none = findings.length + dependants.length === 0;
  const rows = useMemo(() => grouped(findings, ({ diagnostic }) => diagnostic), [findings]);
  const shown = rows.slice(0, ROWS_SHOWN);
  useTelling(
    "list",
    shown.map(({ row }) => row.diagnostic.message),
  );
  return (
    <section className={cx(css.problems, none && css.noProblems)} aria-label="Problems">
      <Head session={session} findings={findings} />
      {!none && (
        <ul className={css.problemRows}>
          {shown.map((group) => (
            <Own
              key={`${group.row.diagnostic.code} ${group.row.from} ${group.row.diagnostic.message}`}
              group={group}
              session={session}
            />
          ))}
          {rows.length > ROWS_SHOWN && <li className={css.more}>{rows.length - ROWS_SHOWN} more</li>}
          {dependants.map((problems) => (
            <Dependant key={problems.model} problems={problems} here={session.file.model} />
          ))}
        </ul>
      )}
    </section>
  );
}
