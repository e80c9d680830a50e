import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useStore } from "zustand";
import { clients } from "../../api/client";
import type { ComparedField } from "../../api/conch_pb";
import { keys } from "../../api/queries";
import { cx } from "../../lib/cx";
import { Breakable } from "../../ui/Breakable";
import { Spinner } from "../../ui/Spinner";
import { ErrorBox } from "../../workspace/ErrorBox";
import { useMachine } from "../../workspace/machine";
import css from "./compare.module.css";
import { OfWhich } from "./OfWhich";
import type { Session } from "./session";

function useComparison(session: Session) {
  const { file } = session;
  const judged = useStore(session.store, (state) => state.judged);
  const machine = useMachine();
  return useQuery({
    queryKey: [...keys.model(file.model), "compare", file.path, judged, ...machine],
    queryFn: ({ signal }) => clients.editor.compare({ ...file, text: session.text() }, { signal }),
    placeholderData: keepPreviousData,
    gcTime: 10_000,
  });
}

function Value({ text, className }: { text: string; className?: string }) {
  return (
    <td className={cx(css.value, className)} title={text || undefined}>
      <span>
        <Breakable text={text} />
      </span>
    </td>
  );
}

interface RowProps {
  field: ComparedField;
  onOpen: (field: ComparedField) => void;
}

function Row({ field, onOpen }: RowProps) {
  const written = field.to > field.from;
  const filled =
    !written && field.effective !== "" && field.modelFile === "" && field.label !== "shape in requests";
  const about = field.reason || (field.differs ? "The file and the model file do not agree" : "");
  return (
    <tr className={cx(field.group && css.group, field.differs && css.differs)}>
      <th scope="row" title={field.label} style={{ paddingLeft: 14 + field.depth * 14 }}>
        {written ? (
          <button type="button" title={`Show ${field.label} in the text`} onClick={() => onOpen(field)}>
            <Breakable text={field.label} />
          </button>
        ) : (
          <Breakable text={field.label} />
        )}
      </th>
      {field.group ? (
        <td colSpan={3} className={css.reason}>
          {about}
        </td>
      ) : (
        <>
          <Value text={field.file} />
          <Value text={field.effective} className={cx(filled && css.filled)} />
          <Value text={field.modelFile} className={cx(field.differs && css.other)} />
        </>
      )}
    </tr>
  );
}

/** The reason of a filled-in value is below it: it is a sentence, and the columns are narrow. */
function Reason({ field }: { field: ComparedField }) {
  if (field.group || field.reason === "") return null;
  return (
    <tr>
      <td />
      <td colSpan={3} className={css.reason}>
        {field.reason}
      </td>
    </tr>
  );
}

/** The config field by field: as the file has it, as Triton runs it and why, as the model file has it. */
export function CompareView({ session, onText }: { session: Session; onText: () => void }) {
  const { data, error, isFetching } = useComparison(session);
  if (error) {
    return (
      <div className={css.failed}>
        <ErrorBox title="The configs were not compared" error={error} />
      </div>
    );
  }
  if (!data) {
    return (
      <div className={css.failed}>
        <Spinner label="Comparing" />
      </div>
    );
  }
  const open = (field: ComparedField) => {
    onText();
    // The text is mounted first, then it can show a place.
    setTimeout(() => session.reveal(field.from, field.to));
  };
  return (
    <section className={cx(css.view, isFetching && css.stale)} aria-label="Comparison">
      <OfWhich session={session} onText={onText} />
      <table className={css.table}>
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">File</th>
            <th scope="col">Filled in by Triton</th>
            <th scope="col" title={[data.modelFile, data.note].filter(Boolean).join("\n")}>
              <Breakable text={data.modelFile || "Model file"} />
            </th>
          </tr>
        </thead>
        <tbody>
          {data.fields.map((field, index) => [
            // The order of the fields is all that tells two of one name apart.
            // biome-ignore lint/suspicious/noArrayIndexKey: the whole list is made again
            <Row key={index} field={field} onOpen={open} />,
            // biome-ignore lint/suspicious/noArrayIndexKey: the whole list is made again
            <Reason key={`${index} why`} field={field} />,
          ])}
        </tbody>
      </table>
      <p className={css.note}>{data.note}</p>
    </section>
  );
}
