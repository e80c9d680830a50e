/** The requests of clients that the engine's ports refused, as they happen: why, for which model, and whose. */
import { ShieldCheck } from "lucide-react";
import { type ReactNode, useMemo, useState } from "react";
import { countedIn, type Filter, forgottenText, matching } from "../../requests/refusals";
import type { Followed } from "../../requests/useRefusals";
import { Centre } from "../../ui/Centre";
import { Empty } from "../../ui/Empty";
import { Spinner } from "../../ui/Spinner";
import { useAsked } from "../../window/asked";
import { ErrorBox } from "../../workspace/ErrorBox";
import { RefusedDetail } from "./RefusedDetail";
import { RefusedList } from "./RefusedList";
import css from "./requests.module.css";

type Props = {
  readonly followed: Followed;
  readonly filter: Filter;
  /** What other list has requests of the kind. */
  readonly children?: ReactNode;
};

export function RefusedView({ followed: { known, error }, filter, children }: Props) {
  const [selected, setSelected] = useState<bigint>();
  const within = useAsked((asked) => asked.refusedIn);
  const failed = useAsked((asked) => asked.failed);
  const groups = useMemo(() => {
    const all = (known?.groups ?? []).filter(({ ran }) => !failed || ran);
    return matching(within ? countedIn(all, within) : all, filter);
  }, [known, filter, within, failed]);
  const chosen = known?.groups.find(({ id }) => id === selected);
  if (!known) {
    return (
      <Centre>
        {error ? (
          <ErrorBox title="The refused requests could not be read" error={error} />
        ) : (
          <Spinner label="Reading the refused requests" />
        )}
      </Centre>
    );
  }
  if (known.groups.length === 0) return <NoneRefused />;
  return (
    <div className={css.both}>
      <div className={css.list}>
        {children}
        <RefusedList groups={groups} selected={selected} onSelect={setSelected} />
        <p className={css.note}>
          {known.forgotten > 0 && `${forgottenText(known.forgotten)} `}
          The list is in the engine's memory only: it is empty after a restart of the engine.
        </p>
      </div>
      {chosen && <RefusedDetail refusal={chosen} onClose={() => setSelected(undefined)} />}
    </div>
  );
}

function NoneRefused() {
  return (
    <Centre>
      <Empty icon={<ShieldCheck />} title="No request was refused">
        When a client of the HTTP, gRPC or metrics port gets an error, its request appears here at once, with
        the reason, the model and the client. The list is in the engine's memory only, and is empty after a
        restart of the engine.
      </Empty>
    </Centre>
  );
}
