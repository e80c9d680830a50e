/** The repository at a glance: its traffic, its models, what happened lately. */
import { spanOf, viewPhrase } from "../../lib/range";
import { ChartCard } from "../../metrics/chart/ChartCard";
import { latencyCard, machineCard, requestsCard } from "../../metrics/chart/cards";
import { EventList } from "../../metrics/chart/EventList";
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

export function OverviewPage() {
  const view = useView();
  const feed = useMetrics("", view);
  const known = useRefusals(useServer() === "").known;
  const refused = refusedIn(known?.groups ?? [], spanOf(view, Date.now()));
  const all = refused.get("");
  const facts = { ...useFacts("", view), refused: all && refusedText(all) };
  const phrase = viewPhrase(view);
  const kept = useKeptScroll<HTMLElement>("overview");
  return (
    <section ref={kept} className={css.page} aria-label="Overview">
      <RemoteFigures />
      <div className={css.cards}>
        {cards.map((spec) => (
          <ChartCard key={spec.title} spec={spec} feed={feed} facts={facts} />
        ))}
      </div>
      <ModelsTable view={view} refused={refused} />
      <EventList events={feed.events} loading={feed.loading} phrase={phrase} limit={3} />
    </section>
  );
}
