import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { useStore } from "zustand";
import { clients } from "../../api/client";
import { keys } from "../../api/queries";
import { cx } from "../../lib/cx";
import { count } from "../../lib/format";
import { Spinner } from "../../ui/Spinner";
import { keys as keyTable } from "../../window/keys";
import { ClientConfig } from "../../workspace/ClientConfig";
import { ErrorBox } from "../../workspace/ErrorBox";
import { useMachine } from "../../workspace/machine";
import css from "./editor.module.css";
import { createEffectiveText } from "./effectiveText";
import { OfWhich } from "./OfWhich";
import type { Session } from "./session";
import { usePaneKey } from "./usePaneKey";

function EffectiveText({
  text,
  filled,
}: {
  text: string;
  filled: Parameters<typeof createEffectiveText>[1]["filled"];
}) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<ReturnType<typeof createEffectiveText>>(undefined);
  usePaneKey(keyTable.search, () => view.current?.search() ?? false);
  useEffect(() => {
    if (!host.current) return;
    const shown = createEffectiveText(host.current, { text, filled });
    view.current = shown;
    return () => shown.destroy();
  }, [text, filled]);
  return <div ref={host} className={css.host} />;
}

/** What Triton makes of the text as it stands: every default and every value taken from the model file. */
export function EffectiveView({ session, onText }: { session: Session; onText: () => void }) {
  const { model, path } = session.file;
  const judged = useStore(session.store, (state) => state.judged);
  const machine = useMachine();
  const { data, error, isFetching } = useQuery({
    queryKey: [...keys.model(model), "effective", path, judged, ...machine],
    queryFn: ({ signal }) =>
      clients.models.getEffectiveConfig({ name: model, text: session.text() }, { signal }),
    placeholderData: keepPreviousData,
    gcTime: 10_000,
  });
  if (error) {
    return (
      <div className={css.failed}>
        <ErrorBox title="The effective config could not be read" error={error}>
          <span className="dim">Repair the errors in the text first.</span>
        </ErrorBox>
      </div>
    );
  }
  if (!data) {
    return (
      <div className={css.failed}>
        <Spinner label="Filling in the config" />
      </div>
    );
  }
  return (
    <div className={cx(css.effective, isFetching && css.stale)}>
      <ClientConfig model={model}>
        This is not what runs: a client loaded the model with a config of its own.
      </ClientConfig>
      <OfWhich session={session} onText={onText} />
      <p className={css.effectiveNote}>
        {data.filled.length === 0
          ? "Nothing had to be filled in"
          : `${count(data.filled.length, "field")} filled in, marked here; the rest is from the file`}
      </p>
      <EffectiveText text={data.text} filled={data.filled} />
    </div>
  );
}
