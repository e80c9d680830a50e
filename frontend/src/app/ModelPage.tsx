import { type ReactNode, useEffect, useRef } from "react";
import type { ModelSummary } from "../api/conch_pb";
import { useModel } from "../api/queries";
import { DebugView } from "../features/debug/DebugView";
import { EditorPane } from "../features/editor/EditorPane";
import { useIsRead } from "../features/editor/useIsRead";
import { FilesView } from "../features/files/FilesView";
import { GraphDetail } from "../features/graph/GraphDetail";
import { GraphView } from "../features/graph/GraphView";
import { LogView } from "../features/log/LogView";
import { MetricsView } from "../features/metrics/MetricsView";
import { ModelHeader } from "../features/models/ModelHeader";
import { ServedConfig } from "../features/servers/ServedConfig";
import { TryPane } from "../features/try/TryPane";
import { RangePicker } from "../metrics/RangePicker";
import { firstDrawn } from "../ui/drawn";
import { type Tab, Tabs } from "../ui/Tabs";
import { checkReopened, useOpenFile } from "../window/openFiles";
import { goToModel, type ModelTab, usePlace } from "../window/place";
import { Split } from "../window/Split";
import { draftOf } from "../workspace/drafts";
import { Untold } from "../workspace/Untold";
import { hasProcesses } from "../workspace/workers";
import { useModelSummary } from "../workspace/workspace";
import { ModelGone } from "./ModelGone";
import { profileStep } from "./profileStep";

const useDrawn = firstDrawn();

interface LoopProps {
  model: ModelSummary;
  graph: boolean;
}

/** The loop on one screen: the config, or the graph, at the left, trying it at the right, which is drawn after it. */
function Loop({ model, graph }: LoopProps) {
  return (
    <Split
      name="try"
      label="Width of the try pane"
      fixed="second"
      size={420}
      min={300}
      share={0.36}
      rest={299}
      first={graph ? <Graph model={model.name} /> : <Config model={model} />}
      second={<Beside model={model} graph={graph} />}
    />
  );
}

/** Its steps are profiled by the request beside it. */
function Graph({ model }: { model: string }) {
  const { data } = useModel(model);
  return <GraphView model={model} onProfile={data && ((step) => void profileStep(data, step))} />;
}

/**
 * It follows the text of the config, where that is what is shown. The detail of a part of the graph lies over the request,
 * which goes on below it.
 */
function Beside({ model, graph }: LoopProps) {
  const path = useConfigFile(model);
  const read = useIsRead(model.name, graph || model.servedOnly ? undefined : path);
  if (!useDrawn(read)) return <div />;
  return (
    <>
      <TryPane model={model.name} />
      {graph && <GraphDetail model={model.name} />}
    </>
  );
}

const configOf = ({ configPath }: ModelSummary) => configPath || "config.pbtxt";
const useConfigFile = (model: ModelSummary) => useOpenFile(model.name, configOf(model));

function Config({ model }: { model: ModelSummary }) {
  return model.servedOnly ? <ServedConfig model={model.name} /> : <EditedConfig model={model} />;
}

function EditedConfig({ model }: { model: ModelSummary }) {
  const { data } = useModel(model.name);
  useEffect(() => {
    const isThere = (path: string) =>
      data?.files.some((file) => file.path === path) || draftOf(model.name, path) !== undefined;
    if (data) checkReopened(model.name, isThere);
  }, [data, model.name]);
  return <EditorPane model={model.name} path={useConfigFile(model)} config={configOf(model)} />;
}

/** A program that was seen calling other models has a graph. It does not go away from under a person when a load forgets them. */
function useHasCalls(model: ModelSummary | undefined, tab: ModelTab): boolean {
  const had = useRef("");
  if (!model || model.ensemble) return false;
  const calls = model.calls.length > 0 || (tab === "graph" && had.current === model.name);
  if (calls) had.current = model.name;
  return calls;
}

function tabsOf(model: ModelSummary, calls: boolean): Tab<ModelTab>[] {
  const { name, ensemble } = model;
  const config: Tab<ModelTab>[] = ensemble
    ? [{ value: "config", label: "Config", content: <Config model={model} /> }]
    : [];
  const graph: Tab<ModelTab>[] = calls
    ? [{ value: "graph", label: "Graph and try", content: <Loop model={model} graph /> }]
    : [];
  const debug: Tab<ModelTab>[] = hasProcesses(model)
    ? [
        {
          value: "debug",
          label: "Debug",
          content: untold("the processes of its instances", <DebugView model={name} />),
        },
      ]
    : [];
  return [
    {
      value: "try",
      label: ensemble ? "Graph and try" : "Config and try",
      content: <Loop model={model} graph={ensemble} />,
    },
    ...config,
    { value: "metrics", label: "Metrics", content: <MetricsView model={name} /> },
    { value: "log", label: "Log", content: untold("its log", <LogView model={name} />) },
    ...debug,
    ...(model.servedOnly
      ? []
      : [{ value: "files" as const, label: "Files", content: <FilesView model={name} /> }]),
    ...graph, // last: it comes with the first call, and moves no page away from the pointer
  ];
}

const untold = (what: string, content: ReactNode) => <Untold what={what}>{content}</Untold>;

export function ModelPage({ model }: { model: string }) {
  const summary = useModelSummary(model);
  const tab = usePlace((place) => place.modelTab);
  const calls = useHasCalls(summary, tab);
  if (!summary) return <ModelGone model={model} />;
  const tabs = tabsOf(summary, calls);
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
