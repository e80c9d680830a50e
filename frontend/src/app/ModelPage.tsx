import type { ModelSummary } from "../api/conch_pb";
import { DebugView } from "../features/debug/DebugView";
import { EditorPane } from "../features/editor/EditorPane";
import { FilesView } from "../features/files/FilesView";
import { GraphDetail } from "../features/graph/GraphDetail";
import { GraphView } from "../features/graph/GraphView";
import { LogView } from "../features/log/LogView";
import { MetricsView } from "../features/metrics/MetricsView";
import { ModelHeader } from "../features/models/ModelHeader";
import { TryPane } from "../features/try/TryPane";
import { RangePicker } from "../metrics/RangePicker";
import { type Tab, Tabs } from "../ui/Tabs";
import { useOpenFile } from "../window/openFiles";
import { goToModel, type ModelTab, usePlace } from "../window/place";
import { Split } from "../window/Split";
import { hasProcesses } from "../workspace/workers";
import { useModelSummary } from "../workspace/workspace";
import { ModelGone } from "./ModelGone";

/** The loop on one screen: the config, or the graph, at the left, trying it at the right. */
function Loop({ model }: { model: ModelSummary }) {
  return (
    <Split
      name="try"
      label="Width of the try pane"
      fixed="second"
      size={420}
      min={300}
      rest={299}
      first={model.ensemble ? <GraphView model={model.name} /> : <Config model={model} />}
      second={model.ensemble ? <TryOrDetail model={model.name} /> : <TryPane model={model.name} />}
    />
  );
}

/** The detail of a part of the graph lies over the request, which goes on below it. */
const TryOrDetail = ({ model }: { model: string }) => (
  <>
    <TryPane model={model} />
    <GraphDetail model={model} />
  </>
);

function Config({ model }: { model: ModelSummary }) {
  const config = model.configPath || "config.pbtxt";
  const path = useOpenFile(model.name, config);
  return <EditorPane model={model.name} path={path} config={config} />;
}

function tabsOf(model: ModelSummary): Tab<ModelTab>[] {
  const { name, ensemble } = model;
  const config: Tab<ModelTab>[] = ensemble
    ? [{ value: "config", label: "Config", content: <Config model={model} /> }]
    : [];
  const debug: Tab<ModelTab>[] = hasProcesses(model)
    ? [{ value: "debug", label: "Debug", content: <DebugView model={name} /> }]
    : [];
  return [
    { value: "try", label: ensemble ? "Graph and try" : "Config and try", content: <Loop model={model} /> },
    ...config,
    { value: "metrics", label: "Metrics", content: <MetricsView model={name} /> },
    { value: "log", label: "Log", content: <LogView model={name} /> },
    ...debug,
    { value: "files", label: "Files", content: <FilesView model={name} /> },
  ];
}

export function ModelPage({ model }: { model: string }) {
  const summary = useModelSummary(model);
  const tab = usePlace((place) => place.modelTab);
  if (!summary) return <ModelGone model={model} />;
  const tabs = tabsOf(summary);
  // A model that is not an ensemble shows its config on the first tab.
  const shown = tabs.some(({ value }) => value === tab) ? tab : "try";
  return (
    <>
      <ModelHeader model={summary} />
      <Tabs
        label="Pages of the model"
        value={shown}
        tabs={tabs}
        onChange={(next) => goToModel(model, next)}
        aside={shown === "metrics" && <RangePicker />}
      />
    </>
  );
}
