import { useMemo } from "react";
import { ModelState } from "../api/conch_pb";
import { count } from "../lib/format";
import { RangePicker } from "../metrics/RangePicker";
import { Chip } from "../ui/Chip";
import { MiddleTruncate } from "../ui/MiddleTruncate";
import { usePlace } from "../window/place";
import { useWorkspace } from "../workspace/workspace";
import css from "./RepositoryHeader.module.css";

function tally(states: Iterable<ModelState>) {
  const sums = { ready: 0, loading: 0, failed: 0 };
  for (const state of states) {
    if (state === ModelState.READY || state === ModelState.OLDER_SERVES) sums.ready++;
    if (state === ModelState.LOADING || state === ModelState.UNLOADING) sums.loading++;
    if (state === ModelState.FAILED) sums.failed++;
  }
  return sums;
}

/** The repository's name, how its models are, and the span of time that the overview's charts show. */
export function RepositoryHeader() {
  const repository = useWorkspace((state) => state.repository);
  const models = useWorkspace((state) => state.models);
  const tab = usePlace((place) => place.repositoryTab);
  const sums = useMemo(() => tally([...models.values()].map((model) => model.state)), [models]);
  return (
    <header className={css.head}>
      <h1 className={css.name}>
        <MiddleTruncate text={repository?.name ?? ""} />
      </h1>
      <Chip>{count(models.size, "model")}</Chip>
      {sums.ready > 0 && <Chip tone="ok">{sums.ready} ready</Chip>}
      {sums.loading > 0 && <Chip tone="accent">{sums.loading} loading</Chip>}
      {sums.failed > 0 && <Chip tone="err">{sums.failed} failed</Chip>}
      {repository?.readOnly && <Chip tone="warn">Read-only</Chip>}
      {tab === "overview" && (
        <span className={css.range}>
          <RangePicker />
        </span>
      )}
    </header>
  );
}
