/** The requests that were tried in this repository, and those of clients that the ports refused; newest first. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { History } from "lucide-react";
import { type ReactNode, useEffect, useMemo, useState } from "react";
import { clients } from "../../api/client";
import type { HistoryEntry, Refusal } from "../../api/conch_pb";
import { keys } from "../../api/queries";
import { count, moment } from "../../lib/format";
import { visible } from "../../lib/visible";
import { hasFailed } from "../../requests/failed";
import { type Filter, failedIn, matching as matchingGroups, total } from "../../requests/refusals";
import { useRefusals } from "../../requests/useRefusals";
import { Button } from "../../ui/Button";
import { Centre } from "../../ui/Centre";
import { Empty } from "../../ui/Empty";
import { FilterChip } from "../../ui/FilterChip";
import { MiddleTruncate } from "../../ui/MiddleTruncate";
import { Segmented } from "../../ui/Segmented";
import { TextField } from "../../ui/TextField";
import {
  chooseList,
  leaveRequests,
  ofAllModels,
  ofAllTimes,
  setFailed,
  setOnlyFailed,
  useAsked,
  type Whose,
} from "../../window/asked";
import { usePlace } from "../../window/place";
import { ErrorBox } from "../../workspace/ErrorBox";
import { RefusedView } from "./RefusedView";
import { RequestDetail } from "./RequestDetail";
import { RequestList } from "./RequestList";
import css from "./requests.module.css";

const most = 500;
const everyMs = 5000; // another window of the same repository may be sending too

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

/** What led here narrows the list; it goes with the page. */
function useLeaving(): void {
  useEffect(
    () => () => {
      const { model, repositoryTab } = usePlace.getState();
      if (model !== "" || repositoryTab !== "requests") leaveRequests();
    },
    [],
  );
}

export function RequestsView() {
  useLeaving();
  const followed = useRefusals();
  const [text, setText] = useState("");
  const model = useAsked(({ requestsOf }) => requestsOf);
  const onlyFailed = useAsked(({ failed }) => failed);
  const filter = useMemo(() => ({ text, model }), [text, model]);
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
        <Segmented label="Whose requests" value={whose} options={lists} onChange={chooseList} />
        <TextField
          aria-label="Filter requests"
          placeholder="Filter requests"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        {whose === "sent" && (
          <Segmented
            label="Which requests"
            value={onlyFailed ? "failed" : "all"}
            options={shows}
            onChange={(next) => setOnlyFailed(next === "failed")}
          />
        )}
        <Narrowed whose={whose} />
      </div>
      <div className={css.page}>
        {whose === "sent" ? (
          <SentView filter={filter} onlyFailed={onlyFailed}>
            {onlyFailed && <AlsoFailed n={failed.clients} whose="refused" model={model} />}
            {onlyFailed && failed.sent === 0 && failed.clients === 0 && (
              <p className={css.note}>Failed requests of clients are listed until the engine restarts.</p>
            )}
          </SentView>
        ) : (
          <RefusedView followed={followed} filter={filter}>
            {onlyFailed && <AlsoFailed n={failed.sent ?? 0} whose="sent" model={model} />}
          </RefusedView>
        )}
      </div>
    </section>
  );
}

/** To what the list is narrowed beside its own text filter, each to be taken off. */
function Narrowed({ whose }: { readonly whose: Whose }) {
  const { requestsOf, refusedIn, failed } = useAsked();
  return (
    <>
      {requestsOf !== "" && (
        <FilterChip label={`Model ${visible(requestsOf)}`} onRemove={ofAllModels}>
          Model <MiddleTruncate text={requestsOf} />
        </FilterChip>
      )}
      {whose === "refused" && refusedIn && (
        <FilterChip
          label={`Did not run, ${moment(refusedIn.from)} to ${moment(refusedIn.to)}`}
          onRemove={ofAllTimes}
        />
      )}
      {whose === "refused" && failed && (
        <FilterChip label="Ran and failed" onRemove={() => setOnlyFailed(false)} />
      )}
    </>
  );
}

const most999 = (n: number): string => (n > 999 ? "999+" : String(n));

/** How many requests that match failed, by where they were sent; `sent` is undefined until it is known. */
function useFailed(groups: readonly Refusal[] = [], filter: Filter) {
  const { data } = useHistory();
  const sent = useMemo(() => data && matching(data.entries, filter, true).length, [data, filter]);
  const clients = useMemo(() => failedIn(matchingGroups(groups, filter)), [groups, filter]);
  return { sent, clients };
}

type AlsoProps = { readonly n: number; readonly whose: Whose; readonly model: string };

/** The way to what failed in the other list. */
function AlsoFailed({ n, whose, model }: AlsoProps) {
  if (n === 0) return null;
  const from = whose === "sent" ? "sent from here" : "of clients of the ports";
  return (
    <p className={css.note}>
      {count(n, "request")} {from} failed too.{" "}
      <Button small onClick={() => setFailed(model, whose)}>
        {n === 1 ? "Show it" : "Show them"}
      </Button>
    </p>
  );
}

type SentProps = { readonly filter: Filter; readonly onlyFailed: boolean; readonly children: ReactNode };

function SentView({ filter, onlyFailed, children }: SentProps) {
  const { data, error, refetch } = useHistory();
  const [selected, setSelected] = useState<bigint>();
  const entries = useMemo(
    () => matching(data?.entries ?? [], filter, onlyFailed),
    [data, filter, onlyFailed],
  );
  if (error && !data) {
    return (
      <Centre>
        <ErrorBox title="The history could not be read" error={error} onRetry={() => void refetch()} />
      </Centre>
    );
  }
  if (data?.entries.length === 0 && !onlyFailed) return <NoRequests />;
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

function matching(entries: readonly HistoryEntry[], { text, model }: Filter, onlyFailed: boolean) {
  const word = text.trim().toLowerCase();
  return entries.filter((entry) => {
    if (model !== "" && entry.model !== model) return false;
    if (onlyFailed && !hasFailed(entry)) return false;
    return word === "" || `${entry.model} ${entry.summary} ${entry.error}`.toLowerCase().includes(word);
  });
}

function NoRequests() {
  return (
    <Centre>
      <Empty icon={<History />} title="No requests yet">
        Requests that are tried on a model are kept here, with what was sent and what came back, so that they
        can be sent again. Choose a model at the left and send one.
      </Empty>
    </Centre>
  );
}
