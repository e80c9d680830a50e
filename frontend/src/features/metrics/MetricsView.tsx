/** Metrics of a model over a chosen range. */
import { spanOf, viewPhrase } from "../../lib/range";
import { ChartCard } from "../../metrics/chart/ChartCard";
import { latencyCard, machineCardOfModel, requestsCard, stagesCard } from "../../metrics/chart/cards";
import { EventList } from "../../metrics/chart/EventList";
import { GpuCharts } from "../../metrics/GpuCharts";
import { RemoteFigures } from "../../metrics/RemoteFigures";
import { useFacts } from "../../metrics/useFacts";
import { useMetrics } from "../../metrics/useMetrics";
import { useServer } from "../../metrics/useServer";
import { useView } from "../../metrics/useView";
import { refusedIn, refusedText } from "../../requests/refusals";
import { useRefusals } from "../../requests/useRefusals";
import { Banner } from "../../ui/Banner";
import { Words } from "../../ui/Words";
import { useKeptScroll } from "../../window/useKeptScroll";
import { ErrorBox } from "../../workspace/ErrorBox";
import { useWorkspace } from "../../workspace/workspace";
import css from "./metrics.module.css";

const cardsOf = (remote: boolean) => [requestsCard, latencyCard, stagesCard, machineCardOfModel(remote)];
const [cards, cardsOfRemote] = [cardsOf(false), cardsOf(true)];

export function MetricsView({ model }: { readonly model: string }) {
  const view = useView();
  const feed = useMetrics(model, view);
  const remote = useServer() !== "";
  const known = useRefusals(!remote).known;
  const refused = refusedIn(known?.groups ?? [], spanOf(view, Date.now())).get(model);
  const facts = { ...useFacts(model, view), refused: refused && refusedText(refused) };
  const phrase = viewPhrase(view);
  const kept = useKeptScroll<HTMLElement>(`metrics ${model}`);
  const unwritten = useWorkspace((state) => state.unwritten?.text);
  const unknown = feed.error !== undefined && feed.series.time.length === 0;
  return (
    <section ref={kept} className={css.view} aria-label={`Metrics of ${model}`}>
      {unknown && <ErrorBox title="The metrics could not be read" error={feed.error} />}
      {unwritten && (
        <Banner>
          History is not being written, and the charts lack it. <Words text={unwritten} />
        </Banner>
      )}
      <RemoteFigures />
      <div className={css.cards}>
        {(remote ? cardsOfRemote : cards).map((spec) => (
          <ChartCard key={spec.title} spec={spec} feed={feed} facts={facts} />
        ))}
      </div>
      <GpuCharts feed={feed} facts={facts} />
      <EventList events={feed.events} loading={feed.loading} phrase={phrase} limit={8} />
    </section>
  );
}
