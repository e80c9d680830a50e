import { useMemo } from "react";
import { ModelState } from "../api/conch_pb";
import { count } from "../lib/format";
import { Button } from "../ui/Button";
import { Chip } from "../ui/Chip";
import { MiddleTruncate } from "../ui/MiddleTruncate";
import { selectAsksTrust, trustRepository } from "../workspace/trust";
import { useWorkspace } from "../workspace/workspace";
import css from "./RepositoryHeader.module.css";
import { tally } from "./tally";

/**
 * The repository's name, and how many of its models are in which state. Who has said that it is not trusted can say
 * otherwise here.
 */
export function RepositoryHeader() {
  const repository = useWorkspace((state) => state.repository);
  const models = useWorkspace((state) => state.models);
  const asks = useWorkspace(selectAsksTrust);
  const waits = useMemo(
    () => [...models.values()].some(({ state }) => state === ModelState.UNTRUSTED),
    [models],
  );
  const sums = useMemo(() => tally([...models.values()].map((model) => model.state)), [models]);
  return (
    <header className={css.head}>
      <h1 className={css.name}>
        <MiddleTruncate text={repository?.name ?? ""} />
      </h1>
      <div className={css.chips}>
        <Chip className={css.models}>{count(models.size, "model")}</Chip>
        {sums.map(({ text, tone }) => (
          <Chip key={text} tone={tone}>
            {text}
          </Chip>
        ))}
        {waits && !asks && (
          <Button small needs="app" onClick={() => void trustRepository(true)}>
            Trust this repository
          </Button>
        )}
        {repository?.readOnly && <Chip tone="warn">Read-only</Chip>}
      </div>
    </header>
  );
}
