/** The repository at a glance: its traffic, its models, what happened lately. */
import { useMemo } from "react";
import { spanOf, viewPhrase } from "../../lib/range";
import type { GpuName } from "../../lib/series";
import { ChartCard } from "../../metrics/chart/ChartCard";
import type { CardSpec } from "../../metrics/chart/cardSpec";
import { latencyCard, machineCard, requestsCard } from "../../metrics/chart/cards";
import { EventList } from "../../metrics/chart/EventList";
import { utilizationCard } from "../../metrics/chart/gpuCards";
import { RemoteFigures } from "../../metrics/RemoteFigures";
import { useFacts } from "../../metrics/useFacts";
import { useMetrics } from "../../metrics/useMetrics";
import { useServer } from "../../metrics/useServer";
import { useView } from "../../metrics/useView";
import { refusedIn, refusedText } from "../../requests/refusals";
import { useRefusals } from "../../requests/useRefusals";
import { useKeptScroll } from "../../window/useKeptScroll";
import { ModelsTable } from "./ModelsTable";
import css from "./overview.module.css";

const cards = [requestsCard, latencyCard, machineCard];

/** With how busy the GPUs are, where there are any. Their other charts are on the page of a model. */
export const cardsWith = (gpus: readonly GpuName[]): readonly CardSpec[] =>
  gpus.length === 0 ? cards : [...cards, utilizationCard(gpus)];

export function OverviewPage() {
  const view = useView();
  const feed = useMetrics("", view);
  const { gpus } = feed.series;
  const shown = useMemo(() => cardsWith(gpus), [gpus]);
  const known = useRefusals(useServer() === "").known;
  const refused = refusedIn(known?.groups ?? [], spanOf(view, Date.now()));
  const all = refused.get("");
  const facts = { ...useFacts("", view), refused: all && refusedText(all) };
  const phrase = viewPhrase(view);
  const kept = useKeptScroll<HTMLElement>("overview");
  return (
    <section ref={kept} className={css.page} aria-label="Overview">
      <RemoteFigures />
      <div className={css.cards} data-count={shown.length}>
        {shown.map((spec) => (
          <ChartCard key={spec.title} spec={spec} feed={feed} facts={facts} />
        ))}
      </div>
      <ModelsTable view={view} refused={refused} />
      <EventList events={feed.events} loading={feed.loading} phrase={phrase} limit={3} />
    </section>
  );
}
