import { useQuery } from "@tanstack/react-query";
import { Equal } from "lucide-react";
import { clients } from "../../api/client";
import { ModelDifference_Kind as Kind, type ModelDifference } from "../../api/conch_pb";
import { count } from "../../lib/format";
import { Button } from "../../ui/Button";
import { Empty } from "../../ui/Empty";
import { goToModel } from "../../window/place";
import { ErrorBox } from "../../workspace/ErrorBox";
import { useRemote } from "../../workspace/remote";
import { useWorkspace } from "../../workspace/workspace";
import css from "./servers.module.css";

const list = (versions: readonly bigint[]) => (versions.length === 0 ? "none" : versions.join(", "));

const sameVersions = ({ versionsHere, versionsThere }: ModelDifference) =>
  list(versionsHere) === list(versionsThere);

/** What a deployment would do with a model, in a sentence. */
export function deed(model: ModelDifference): string {
  switch (model.kind) {
    case Kind.MISSING_THERE:
      return `would be added, with version ${list(model.versionsHere)}`;
    case Kind.MISSING_HERE:
      return "is only there: it would go if the server had nothing but this repository";
    case Kind.UNKNOWN:
      return `is not loaded there, so its config there is not known${model.note ? `: ${model.note}` : ""}`;
    case Kind.CHANGED:
      return model.fields.length === 0
        ? "would change its versions"
        : `would change ${count(model.fields.length, "field")}`;
    default:
      return "would stay as it is";
  }
}

/** What would change on the attached server if the open repository were deployed there. */
export function DifferencesView() {
  const remote = useRemote();
  const seq = useWorkspace((state) => state.models); // asked again when any model changed
  const { data, error, refetch } = useQuery({
    queryKey: [
      "differences",
      remote?.name,
      [...seq.values()].map(({ name, state, stateSince }) => `${name} ${state} ${stateSince}`).join(),
    ],
    queryFn: ({ signal }) => clients.servers.compareServer({}, { signal }),
    placeholderData: (last) => last,
  });
  if (error && !data)
    return <ErrorBox title="The server was not compared" error={error} onRetry={() => void refetch()} />;
  if (!data) return null;
  const changed = data.models.filter(({ kind }) => kind !== Kind.SAME);
  if (changed.length === 0)
    return (
      <Empty icon={<Equal />} title={`Nothing would change on ${remote?.name}`}>
        It serves all models of this repository with the same configs and versions.
      </Empty>
    );
  return (
    <section className={css.list} aria-label="Differences" tabIndex={-1}>
      <p>
        What would change on <b>{remote?.name}</b> if this repository, as it is saved, were deployed there:
      </p>
      {changed.map((model) => (
        <Model key={model.model} model={model} />
      ))}
    </section>
  );
}

function Model({ model }: { model: ModelDifference }) {
  return (
    <section aria-label={model.model}>
      <h2 className={css.model}>
        <Button small look="ghost" onClick={() => goToModel(model.model)}>
          {model.model}
        </Button>{" "}
        {deed(model)}
      </h2>
      {model.kind === Kind.CHANGED && (
        <table className={css.table}>
          <thead>
            <tr>
              <th>Field</th>
              <th>There now</th>
              <th>Here</th>
            </tr>
          </thead>
          <tbody>
            {!sameVersions(model) && (
              <tr>
                <td>versions served</td>
                <td>{list(model.versionsThere)}</td>
                <td>{list(model.versionsHere)}</td>
              </tr>
            )}
            {model.fields.map(({ path, here, there, reason }) => (
              <tr key={path}>
                <td className="mono">{path}</td>
                <td className="mono">{there || "—"}</td>
                <td>
                  <span className="mono">{here || "—"}</span>{" "}
                  {reason && <span className={css.reason}>{reason}</span>}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
