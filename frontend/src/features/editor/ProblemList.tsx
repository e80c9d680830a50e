import { useStore } from "zustand";
import { Diagnostic_Severity } from "../../api/conch_pb";
import { count } from "../../lib/format";
import { goToRepository } from "../../stores/place";
import { useModelSummary, useWorkspace } from "../../stores/workspace";
import { Badge } from "../../ui/Badge";
import { SeverityIcon } from "../../ui/SeverityIcon";
import css from "./editor.module.css";
import type { Finding } from "./findings";
import type { Session } from "./session";

const ROWS_SHOWN = 200;

function Row({ finding, session }: { finding: Finding; session: Session }) {
  const { diagnostic } = finding;
  const [fix] = diagnostic.fixes;
  const readOnly = useStore(session.store, (state) => state.readOnly);
  return (
    <li className={css.problem}>
      <button
        type="button"
        className={css.problemMain}
        title={diagnostic.triton || undefined}
        onClick={() => session.reveal(0, 0, finding)}
      >
        <SeverityIcon severity={diagnostic.severity} />
        <span className={css.where}>line {diagnostic.line}</span>
        <span className={css.message}>{diagnostic.message}</span>
        <span className={css.code}>{diagnostic.code}</span>
      </button>
      {fix && !readOnly && (
        <button
          type="button"
          className={css.fix}
          title={fix.title}
          aria-label={`Fix: ${fix.title}`}
          onClick={() => session.fix(finding)}
        >
          Fix
        </button>
      )}
    </li>
  );
}

/** How many problems other files have, so that "none here" is not taken for "none". */
function useElsewhere(model: string): number {
  const all = useWorkspace((state) => (state.repository?.errors ?? 0) + (state.repository?.warnings ?? 0));
  const summary = useModelSummary(model);
  return Math.max(0, all - (summary ? summary.errors + summary.warnings : 0));
}

function Head({ session, findings }: { session: Session; findings: readonly Finding[] }) {
  const elsewhere = useElsewhere(session.file.model);
  const errors = findings.filter(
    ({ diagnostic }) => diagnostic.severity === Diagnostic_Severity.ERROR,
  ).length;
  return (
    <div className={css.problemsHead}>
      <b>Problems</b>
      <Badge
        count={findings.length}
        tone={errors > 0 ? "err" : "warn"}
        label={count(findings.length, "problem")}
      />
      <span className="dim">{findings.length > 0 ? "in this file" : "None in this file"}</span>
      {elsewhere > 0 && (
        <button type="button" className={css.elsewhere} onClick={() => goToRepository("problems")}>
          {elsewhere} in others
        </button>
      )}
    </div>
  );
}

/** The problems of the text as it stands in the editor, gravest place first in reading order. */
export function ProblemList({ session }: { session: Session }) {
  const findings = useStore(session.store, (state) => state.findings);
  return (
    <section className={css.problems} aria-label="Problems">
      <Head session={session} findings={findings} />
      <ul className={css.problemRows}>
        {findings.slice(0, ROWS_SHOWN).map((finding) => (
          <Row
            key={`${finding.diagnostic.code} ${finding.from} ${finding.diagnostic.message}`}
            finding={finding}
            session={session}
          />
        ))}
        {findings.length > ROWS_SHOWN && <li className={css.more}>{findings.length - ROWS_SHOWN} more</li>}
      </ul>
    </section>
  );
}
