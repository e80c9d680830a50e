/** Every request that was tried in this repository, newest first, each with what was sent and answered. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { History } from "lucide-react";
import { useMemo, useState } from "react";
import { clients } from "../../api/client";
import type { HistoryEntry } from "../../api/conch_pb";
import { keys } from "../../api/queries";
import { Empty } from "../../ui/Empty";
import { Segmented } from "../../ui/Segmented";
import { TextField } from "../../ui/TextField";
import { ErrorBox } from "../../workspace/ErrorBox";
import { RequestDetail } from "./RequestDetail";
import { RequestList } from "./RequestList";
import css from "./requests.module.css";

const most = 500;
const everyMs = 5000; // another window of the same repository may be sending too

type Show = "all" | "failed";
const shows = [
  { value: "all", label: "All" },
  { value: "failed", label: "Failed" },
] as const;

function useHistory() {
  return useQuery({
    queryKey: keys.history(""),
    queryFn: ({ signal }) => clients.tryIt.listHistory({ model: "", limit: most }, { signal }),
    refetchInterval: everyMs,
    staleTime: 0,
    placeholderData: keepPreviousData,
  });
}

export function RequestsView() {
  const { data, error, refetch } = useHistory();
  const [filter, setFilter] = useState("");
  const [show, setShow] = useState<Show>("all");
  const [selected, setSelected] = useState<bigint>();
  const entries = useMemo(() => matching(data?.entries ?? [], filter, show), [data, filter, show]);
  if (error && !data) {
    return (
      <div className={css.centre}>
        <ErrorBox title="The history could not be read" error={error} onRetry={() => void refetch()} />
      </div>
    );
  }
  if (data?.entries.length === 0) return <NoRequests />;
  return (
    <section className={css.view} aria-label="Requests">
      <div className={css.list}>
        <div className={css.bar}>
          <TextField
            aria-label="Filter requests"
            placeholder="Filter requests"
            value={filter}
            onChange={(event) => setFilter(event.target.value)}
          />
          <Segmented label="Which requests" value={show} options={shows} onChange={setShow} />
          {data && <span className="dim">{entries.length === most ? `newest ${most}` : entries.length}</span>}
        </div>
        {data && <RequestList entries={entries} selected={selected} onSelect={setSelected} />}
      </div>
      {selected !== undefined && (
        <RequestDetail key={String(selected)} id={selected} onClose={() => setSelected(undefined)} />
      )}
    </section>
  );
}

function matching(entries: readonly HistoryEntry[], filter: string, show: Show): HistoryEntry[] {
  const word = filter.trim().toLowerCase();
  return entries.filter(({ ok, model, summary, error }) => {
    if (show === "failed" && ok) return false;
    return word === "" || `${model} ${summary} ${error}`.toLowerCase().includes(word);
  });
}

function NoRequests() {
  return (
    <div className={css.centre}>
      <Empty icon={<History />} title="No requests yet">
        Requests that are tried on a model are kept here, with what was sent and what came back, so that they
        can be sent again. Choose a model at the left and send one.
      </Empty>
    </div>
  );
}
