import { useQuery } from "@tanstack/react-query";
import { Pencil, X } from "lucide-react";
import { clients } from "../../api/client";
import { keys } from "../../api/queries";
import { Bar } from "../../ui/Bar";
import { Button } from "../../ui/Button";
import { Spinner } from "../../ui/Spinner";
import { useEscape } from "../../ui/useEscape";
import { editFile } from "../../window/openFiles";
import { ErrorBox } from "../../workspace/ErrorBox";
import css from "./files.module.css";

interface FileTextProps {
  model: string;
  path: string;
  onClose: () => void;
}

/** One text file of a model, to be read. */
export function FileText({ model, path, onClose }: FileTextProps) {
  const { data, error, isPending } = useQuery({
    queryKey: [...keys.model(model), "file", path],
    queryFn: ({ signal }) => clients.editor.readFile({ model, path }, { signal }),
  });
  useEscape(onClose);
  return (
    <section className={css.reader} aria-label={path}>
      <Bar
        actions={
          <>
            <Button small icon={<Pencil />} onClick={() => editFile(model, path)}>
              Edit
            </Button>
            <Button small look="ghost" aria-label="Close the file" icon={<X />} onClick={onClose} />
          </>
        }
      >
        <b>{path}</b>
        {data?.note && <span className={css.note}>{data.note}</span>}
      </Bar>
      {error && (
        <div className={css.page}>
          <ErrorBox title={`${path} was not read`} names={[path]} error={error} />
        </div>
      )}
      {isPending && <Spinner label="Reading the file" />}
      {data && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled text has to be reachable with the keyboard
        <pre className={css.text} tabIndex={0}>
          {data.text}
        </pre>
      )}
    </section>
  );
}
