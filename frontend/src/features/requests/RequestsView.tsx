/** The requests that were tried in this repository, and those of clients that the ports refused; newest first. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { History } from "lucide-react";
import { type ReactNode, useMemo, useState } from "react";
import { clients } from "../../api/client";
import type { HistoryEntry, Refusal } from "../../api/conch_pb";
import { keys } from "../../api/queries";
import { count } from "../../lib/format";
import { hasFailed } from "../../requests/failed";
import { failedIn, matching as matchingGroups, total } from "../../requests/refusals";
import { useRefusals } from "../../requests/useRefusals";
import { Button } from "../../ui/Button";
import { Empty } from "../../ui/Empty";
import { Segmented } from "../../ui/Segmented";
import { TextField } from "../../ui/TextField";
import { setFailed, setWhose, useAsked, type Whose } from "../../window/asked";
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
  const [filter, setFilter] = useState(() => useAsked.getState().requestsOf);
  const [show, setShow] = useState<Show>(() => (useAsked.getState().failed ? "failed" : "all"));
  const failed = useFailed(followed.known?.groups, filter);
  const asked = useAsked((asked) => asked.whose);
  const whose = asked ?? (failed.sent === 0 && failed.clients > 0 ? "refused" : "sent");
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
          <SentView filter={filter} show={show}>
            {show === "failed" && <AlsoFailed n={failed.clients} whose="refused" filter={filter} />}
            {show === "failed" && failed.sent === 0 && failed.clients === 0 && (
              <p className={css.note}>Failed requests of clients are listed until the engine restarts.</p>
            )}
          </SentView>
        ) : (
          <RefusedView followed={followed} filter={filter}>
            {failed.asked && <AlsoFailed n={failed.sent ?? 0} whose="sent" filter={filter} />}
          </RefusedView>
        )}
      </div>
    </section>
  );
}

const most999 = (n: number): string => (n > 999 ? "999+" : String(n));

/** How many requests that match failed, by where they were sent; `sent` is undefined until it is known. */
function useFailed(groups: readonly Refusal[] = [], filter: string) {
  const asked = useAsked(({ failed }) => failed);
  const { data } = useHistory();
  const sent = useMemo(() => data && matching(data.entries, filter, "failed").length, [data, filter]);
  const clients = useMemo(() => failedIn(matchingGroups(groups, filter)), [groups, filter]);
  return { asked, sent, clients };
}

type AlsoProps = { readonly n: number; readonly whose: Whose; readonly filter: string };

/** The way to what failed in the other list. */
function AlsoFailed({ n, whose, filter }: AlsoProps) {
  if (n === 0) return null;
  const from = whose === "sent" ? "sent from here" : "of clients of the ports";
  return (
    <p className={css.note}>
      {count(n, "request")} {from} failed too.{" "}
      <Button small onClick={() => setFailed(filter, whose)}>
        {n === 1 ? "Show it" : "Show them"}
      </Button>
    </p>
  );
}

type SentProps = { readonly filter: string; readonly show: Show; readonly children: ReactNode };

function SentView({ filter, show, children }: SentProps) {
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
  if (data?.entries.length === 0 && show === "all") return <NoRequests />;
  return (
    <div className={css.both}>
      <div className={css.list}>
        {children}
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
