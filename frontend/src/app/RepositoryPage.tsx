import { LogView } from "../features/log/LogView";
import { OverviewPage } from "../features/overview/OverviewPage";
import { ProblemsView } from "../features/problems/ProblemsView";
import { RequestsView } from "../features/requests/RequestsView";
import { DifferencesView } from "../features/servers/DifferencesView";
import { count } from "../lib/format";
import { RangePicker } from "../metrics/RangePicker";
import { Badge } from "../ui/Badge";
import { type Tab, Tabs } from "../ui/Tabs";
import { goToRepository, type RepositoryTab, usePlace } from "../window/place";
import { Untold } from "../workspace/Untold";
import { useWorkspace } from "../workspace/workspace";
import { RepositoryHeader } from "./RepositoryHeader";

function tabsOf(errors: number, compares: boolean): Tab<RepositoryTab>[] {
  const badge = <Badge count={errors} tone="err" label={count(errors, "error")} />;
  return [
    { value: "overview", label: "Overview", content: <OverviewPage /> },
    { value: "requests", label: "Requests", content: <RequestsView /> },
    { value: "problems", label: <>Problems {badge}</>, content: <ProblemsView /> },
    { value: "log", label: "Log", content: log },
    ...(compares ? [differences] : []),
  ];
}

const log = (
  <Untold what="its log">
    <LogView model="" />
  </Untold>
);

const differences: Tab<RepositoryTab> = {
  value: "differences",
  label: "Differences",
  content: <DifferencesView />,
};

export function RepositoryPage() {
  const tab = usePlace((place) => place.repositoryTab);
  const errors = useWorkspace((state) => state.repository?.errors ?? 0);
  const compares = useWorkspace(
    (state) => state.engine?.remote !== undefined && !!state.repository?.roots.length,
  );
  return (
    <>
      <RepositoryHeader />
      <Tabs
        label="Pages of the repository"
        value={tab === "differences" && !compares ? "overview" : tab}
        tabs={tabsOf(errors, compares)}
        onChange={goToRepository}
        aside={tab === "overview" && <RangePicker />}
      />
    </>
  );
}
