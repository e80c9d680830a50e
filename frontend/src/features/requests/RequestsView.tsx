/** The requests that were tried in this repository, and those of clients that the ports refused; newest first. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { History } from "lucide-react";
import { useMemo, useState } from "react";
import { clients } from "../../api/client";
import type { HistoryEntry } from "../../api/conch_pb";
import { keys } from "../../api/queries";
import { hasFailed } from "../../requests/failed";
import { total } from "../../requests/refusals";
import { useRefusals } from "../../requests/useRefusals";
import { Empty } from "../../ui/Empty";
import { Segmented } from "../../ui/Segmented";
import { TextField } from "../../ui/TextField";
import { setWhose, useAsked } from "../../window/asked";
import { ErrorBox } from "../../workspace/ErrorBox";
import { RefusedView } from "./RefusedView";
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
  const followed = useRefusals();
  const whose = useAsked((asked) => asked.whose);
  const [filter, setFilter] = useState(() => useAsked.getState().requestsOf);
  const [show, setShow] = useState<Show>("all");
  const refused = followed.known ? total(followed.known) : 0;
  const lists = [
    { value: "sent", label: "Sent from here" },
    {
      value: "refused",
      label: refused > 0 ? `Refused by the ports (${most999(refused)})` : "Refused by the ports",
    },
  ] as const;
  return (
    <section className={css.view} aria-label="Requests">
      <div className={css.bar}>
        <Segmented label="Whose requests" value={whose} options={lists} onChange={(next) => setWhose(next)} />
        <TextField
          aria-label="Filter requests"
          placeholder="Filter requests"
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
        />
        {whose === "sent" && (
          <Segmented label="Which requests" value={show} options={shows} onChange={setShow} />
        )}
      </div>
      <div className={css.page}>
        {whose === "sent" ? (
          <SentView filter={filter} show={show} />
        ) : (
          <RefusedView followed={followed} filter={filter} />
        )}
      </div>
    </section>
  );
}

const most999 = (n: number): string => (n > 999 ? "999+" : String(n));

function SentView({ filter, show }: { readonly filter: string; readonly show: Show }) {
  const { data, error, refetch } = useHistory();
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
    <div className={css.both}>
      <div className={css.list}>
        {data && <RequestList entries={entries} selected={selected} onSelect={setSelected} />}
        {data?.entries.length === most && <p className={css.note}>Only the newest {most} are listed.</p>}
      </div>
      {selected !== undefined && (
        <RequestDetail key={String(selected)} id={selected} onClose={() => setSelected(undefined)} />
      )}
    </div>
  );
}

function matching(entries: readonly HistoryEntry[], filter: string, show: Show): HistoryEntry[] {
  const word = filter.trim().toLowerCase();
  return entries.filter((entry) => {
    const { model, summary, error } = entry;
    if (show === "failed" && !hasFailed(entry)) return false;
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
