import { RemoteServer_Percentiles } from "../api/conch_pb";
import { Banner } from "../ui/Banner";
import { useWorkspace } from "../workspace/workspace";

/** What the figures of a server elsewhere are made from: it tells less than the engine of this machine. */
export function RemoteFigures() {
  const remote = useWorkspace((state) => state.engine?.remote);
  if (!remote) return null;
  const own = remote.percentiles === RemoteServer_Percentiles.OF_SERVER;
  return (
    <Banner tone="note" label="What the figures are made from">
      Figures of <b>{remote.name}</b>.{" "}
      {own
        ? "Percentiles are those that the server computes over its last minute."
        : "Percentiles are of the mean of each second, because the server tells only sums: with --metrics-config summary_latencies=true it tells percentiles."}{" "}
      {remote.metricsTrouble
        ? `Processor, memory and GPUs are not known: ${remote.metricsTrouble}.`
        : "Processor and memory are those of its whole machine."}
    </Banner>
  );
}
