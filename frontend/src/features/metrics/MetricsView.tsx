/** Metrics of a model, or of the whole repository, over a chosen range. */
import { rangePhrase } from "../../lib/range";
import { ChartCard } from "../../metrics/chart/ChartCard";
import { latencyCard, machineCard, requestsCard, stagesCard } from "../../metrics/chart/cards";
import { EventList } from "../../metrics/chart/EventList";
import { useMetricsFeed } from "../../metrics/metricsFeed";
import { useRange } from "../../metrics/range";
import { Banner } from "../../ui/Banner";
import { Words } from "../../ui/Words";
import { useKeptScroll } from "../../window/useKeptScroll";
import { ErrorBox } from "../../workspace/ErrorBox";
import { useWorkspace } from "../../workspace/workspace";
import css from "./metrics.module.css";

const modelCards = [requestsCard, latencyCard, stagesCard];
const repositoryCards = [requestsCard, latencyCard, stagesCard, machineCard];

/** `model` "" shows the repository. */
export function MetricsView({ model }: { readonly model: string }) {
  const range = useRange((state) => state.range);
  const feed = useMetricsFeed(model, range);
  const phrase = rangePhrase(range);
  const kept = useKeptScroll<HTMLElement>(`metrics ${model}`);
  const unwritten = useWorkspace((state) => state.unwritten?.text);
  const unknown = feed.error !== undefined && feed.series.time.length === 0;
  return (
    <section
      ref={kept}
      className={css.view}
      aria-label={model ? `Metrics of ${model}` : "Metrics of the repository"}
    >
      {unknown && <ErrorBox title="The metrics could not be read" error={feed.error} />}
      {unwritten && (
        <Banner>
          History is not being written, and the charts lack it. <Words text={unwritten} />
        </Banner>
      )}
      <div className={css.cards}>
        {(model ? modelCards : repositoryCards).map((spec) => (
          <ChartCard key={spec.title} spec={spec} feed={feed} phrase={phrase} height={190} />
        ))}
      </div>
      <EventList events={feed.events} loading={feed.loading} phrase={phrase} limit={20} />
    </section>
  );
}
