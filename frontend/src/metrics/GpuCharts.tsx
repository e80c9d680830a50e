/** The charts of the machine's GPUs, where there are any. */
import { useMemo } from "react";
import { ChartCard } from "./chart/ChartCard";
import type { Facts } from "./chart/cardSpec";
import { gpuCards, toldOf } from "./chart/gpuCards";
import type { FeedState } from "./feed";
import css from "./GpuCharts.module.css";

export function GpuCharts({ feed, facts }: { readonly feed: FeedState; readonly facts: Facts }) {
  const { gpus } = feed.series;
  const { heat, energy } = toldOf(feed.series);
  const cards = useMemo(() => gpuCards(gpus, { heat, energy }), [gpus, heat, energy]);
  if (cards.length === 0) return null;
  return (
    <div className={css.cards} data-count={cards.length}>
      {cards.map((spec) => (
        <ChartCard key={spec.title} spec={spec} feed={feed} facts={facts} />
      ))}
    </div>
  );
}
