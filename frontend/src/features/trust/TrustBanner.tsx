import { ShieldAlert } from "lucide-react";
import type { OwnCode } from "../../api/conch_pb";
import { count } from "../../lib/format";
import { Banner } from "../../ui/Banner";
import { Button } from "../../ui/Button";
import { selectAsksTrust, selectCode, trustRepository } from "../../workspace/trust";
import { useWorkspace } from "../../workspace/workspace";
import { wouldRun } from "./words";

const listOf = (code: readonly OwnCode[]) =>
  code.map(({ model, field, path }) => `${model}: ${path} (${field})`).join("\n");

/** Asks once whether a repository may run its own code. Until there is an answer, everything else works. */
export function TrustBanner() {
  const code = useWorkspace(selectCode);
  const asks = useWorkspace(selectAsksTrust);
  if (!asks) return null;
  return (
    <Banner
      icon={<ShieldAlert aria-hidden="true" />}
      label="Trust this repository?"
      actions={
        <>
          <Button small needs="app" onClick={() => void trustRepository(false)}>
            Do not trust
          </Button>
          <Button small needs="app" look="primary" onClick={() => void trustRepository(true)}>
            Trust
          </Button>
        </>
      }
    >
      <b>Trust this repository?</b> <span title={listOf(code)}>{wouldRun(code)}</span> Until you trust it,{" "}
      {count(new Set(code.map(({ model }) => model)).size, "model")} will not load; everything else works.
    </Banner>
  );
}
