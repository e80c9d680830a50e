import type { StoreApi } from "zustand/vanilla";
import type { AnalyzeResponse } from "../../api/conch_pb";
import { findingsField, findingsOf } from "./findings";
import type { Holder } from "./holder";
import type { SessionState } from "./sessionState";

/** Shows what was found out about the text as it stands. */
export function showJudged(holder: Holder, store: StoreApi<SessionState>, answer: AnalyzeResponse): void {
  const state = holder.state();
  if (!state || answer.newer || answer.gone) return;
  holder.change({ effects: findingsOf(state, answer, holder.lineBreak()) });
  const { dependants, outline, placeholders } = answer;
  const findings = holder.state()?.field(findingsField).list ?? [];
  store.setState({ findings, dependants, outline, placeholders, judged: store.getState().judged + 1 });
}
