import { ShieldAlert } from "lucide-react";
import { Access_Trust, type OwnCode } from "../../api/conch_pb";
import { count } from "../../lib/format";
import { selectCode, selectTrust, trustRepository } from "../../stores/trust";
import { useWorkspace } from "../../stores/workspace";
import { Button } from "../../ui/Button";
import css from "./trust.module.css";
import { wouldRun } from "./words";

const listOf = (code: readonly OwnCode[]) =>
  code.map(({ model, field, path }) => `${model}: ${path} (${field})`).join("\n");

/** Asks once whether a repository may run its own code. Until there is an answer, everything else works. */
export function TrustBanner() {
  const code = useWorkspace(selectCode);
  const trust = useWorkspace(selectTrust);
  if (code.length === 0 || trust !== Access_Trust.UNSPECIFIED) return null;
  return (
    <section className={css.banner} role="alert" aria-label="Trust this repository?">
      <ShieldAlert aria-hidden="true" />
      <p className={css.text} title={listOf(code)}>
        <b>Trust this repository?</b> {wouldRun(code)} Until you trust it,{" "}
        {count(new Set(code.map(({ model }) => model)).size, "model")} will not load; everything else works.
      </p>
      <Button small onClick={() => void trustRepository(false)}>
        Do not trust
      </Button>
      <Button small look="primary" onClick={() => void trustRepository(true)}>
        Trust
      </Button>
    </section>
  );
}
