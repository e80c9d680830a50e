/** The repository at a glance: its traffic, its models, what happened lately. */
import { rangePhrase } from "../../lib/range";
import { ChartCard } from "../../metrics/chart/ChartCard";
import { latencyCard, machineCard, requestsCard } from "../../metrics/chart/cards";
import { EventList } from "../../metrics/chart/EventList";
import { useMetricsFeed } from "../../metrics/metricsFeed";
import { useRange } from "../../metrics/range";
import { useKeptScroll } from "../../window/useKeptScroll";
import { ModelsTable } from "./ModelsTable";
import css from "./overview.module.css";

const cards = [requestsCard, latencyCard, machineCard];

export function OverviewPage() {
  const range = useRange((state) => state.range);
  const feed = useMetricsFeed("", range);
  const phrase = rangePhrase(range);
  const kept = useKeptScroll<HTMLElement>("overview");
  return (
    <section ref={kept} className={css.page} aria-label="Overview">
      <div className={css.cards}>
        {cards.map((spec) => (
          <ChartCard key={spec.title} spec={spec} feed={feed} phrase={phrase} height={136} />
        ))}
      </div>
      <ModelsTable range={range} />
      <EventList events={feed.events} loading={feed.loading} phrase={phrase} limit={3} />
    </section>
  );
}
