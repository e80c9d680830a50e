import { RemoteServer_Percentiles } from "../api/conch_pb";
import { Banner } from "../ui/Banner";
import { useWorkspace } from "../workspace/workspace";

/** What the percentiles are made from. */
function percentiles(kind: RemoteServer_Percentiles): string {
  switch (kind) {
    case RemoteServer_Percentiles.OF_SERVER:
      return "Percentiles are those that the server computes over its last minute.";
    case RemoteServer_Percentiles.OF_HISTOGRAM:
      return "Percentiles are estimated from the server's histogram of first responses: it tells only how many lie between its limits.";
    default:
      return "Percentiles are of the mean of each second, because the server tells only sums: with --metrics-config summary_latencies=true it tells percentiles.";
  }
}

/** What the figures of a server elsewhere are made from: it tells less than the engine of this machine. */
export function RemoteFigures() {
  const remote = useWorkspace((state) => state.engine?.remote);
  if (!remote) return null;
  return (
    <Banner tone="note" label="What the figures are made from">
      Figures of <b>{remote.name}</b>. {percentiles(remote.percentiles)}{" "}
      {remote.metricsTrouble
        ? `Processor, memory and GPUs are not known: ${remote.metricsTrouble}.`
        : "Processor and memory are those of its whole machine."}
    </Banner>
  );
}
