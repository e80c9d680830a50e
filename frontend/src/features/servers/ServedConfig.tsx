import { useQuery } from "@tanstack/react-query";
import { clients } from "../../api/client";
import { keys } from "../../api/queries";
import { Bar } from "../../ui/Bar";
import { ErrorBox } from "../../workspace/ErrorBox";
import css from "./servers.module.css";

/** The config of a model that only a remote server has, as that server serves it. */
export function ServedConfig({ model }: { model: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: [...keys.model(model), "served"],
    queryFn: ({ signal }) => clients.models.getEffectiveConfig({ name: model }, { signal }),
  });
  return (
    <section
      aria-label={`Config of ${model}`}
      style={{ display: "flex", flexDirection: "column", height: "100%" }}
    >
      <Bar>The config that the server serves. There are no files of it here.</Bar>
      {error && !data && (
        <ErrorBox title="The config is not known" error={error} onRetry={() => void refetch()} />
      )}
      {data && <pre className={`${css.config} mono`}>{data.text}</pre>}
    </section>
  );
}
