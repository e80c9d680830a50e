/** Earlier requests of this model; choosing one takes it back into the form. */
import { useQuery } from "@tanstack/react-query";
import { History } from "lucide-react";
import { Popover } from "radix-ui";
import { useState } from "react";
import { clients } from "../../api/client";
import type { HistoryEntry } from "../../api/conch_pb";
import { keys } from "../../api/queries";
import { arrows, moment } from "../../lib/format";
import { visible, visibleText } from "../../lib/visible";
import { hasFailed, tookText } from "../../requests/failed";
import { loadTry } from "../../requests/tries";
import { Button } from "../../ui/Button";
import { floating } from "../../ui/floating";
import { ErrorBox } from "../../workspace/ErrorBox";
import { asSentence } from "../../workspace/workspace";
import css from "./try.module.css";

const shownEntries = 50;

async function loadBack(id: bigint): Promise<void> {
  const { entry, request, response } = await clients.tryIt.getHistory({ id });
  if (request) loadTry(request, Number(entry?.time ?? 0n), response);
}

export function HistoryMenu({ model }: { model: string }) {
  const [open, setOpen] = useState(false);
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger asChild>
        <Button
          small
          look="ghost"
          icon={<History />}
          aria-label="Earlier requests"
          title="Earlier requests"
        />
      </Popover.Trigger>
      <Popover.Portal container={floating()}>
        <Popover.Content className={css.history} align="end" sideOffset={4} aria-label="Earlier requests">
          <Entries model={model} onDone={() => setOpen(false)} />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

function Entries({ model, onDone }: { model: string; onDone: () => void }) {
  const [problem, setProblem] = useState<unknown>();
  const { data, error, refetch } = useQuery({
    queryKey: keys.history(model),
    queryFn: ({ signal }) => clients.tryIt.listHistory({ model, limit: shownEntries }, { signal }),
    staleTime: 0,
  });
  if (error)
    return <ErrorBox title="The history could not be read" error={error} onRetry={() => void refetch()} />;
  if (data?.entries.length === 0)
    return <p className={css.historyEmpty}>Requests that were sent to {model} appear here.</p>;
  return (
    <>
      {problem !== undefined && <ErrorBox title="This request could not be brought back" error={problem} />}
      <ul className={css.historyList} style={{ minHeight: data ? 0 : 120 }}>
        {data?.entries.map((entry) => (
          <li key={String(entry.id)}>
            <Entry entry={entry} onChoose={() => void loadBack(entry.id).then(onDone, setProblem)} />
          </li>
        ))}
      </ul>
    </>
  );
}

function Entry({ entry, onChoose }: { entry: HistoryEntry; onChoose: () => void }) {
  return (
    <button
      type="button"
      className={css.historyEntry}
      onClick={onChoose}
      title={visibleText(entry.ok ? entry.summary : entry.error)}
    >
      <span>{moment(entry.time)}</span>
      <span className={hasFailed(entry) ? css.historyError : css.historySummary}>
        {visible(entry.ok ? arrows(entry.summary) : asSentence(entry.error))}
      </span>
      <span className={css.historyTime}>{tookText(entry)}</span>
    </button>
  );
}
