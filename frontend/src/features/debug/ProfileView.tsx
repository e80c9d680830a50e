import type { Profile } from "../../api/conch_pb";
import type { FlameNode } from "../../lib/flame";
import { moment } from "../../lib/format";
import { useProfiled } from "../../requests/profiles";
import { FlameGraph } from "../../ui/FlameGraph";
import { CodeText, fileAt } from "../../workspace/CodeText";
import { useWorkspace } from "../../workspace/workspace";
import css from "./debug.module.css";

/** A profile as the graph takes it. */
export function nodesOf({ functions, nodes }: Profile): FlameNode[] {
  return nodes.map(({ function: index, parent, totalNs, calls }) => {
    const { name = "", file = "", line = 0 } = functions[index] ?? {};
    return { name, file, line, parent, total: Number(totalNs), calls: Number(calls) };
  });
}

type OneProps = { profile: Profile; at: number; by: string };

/** by is the model that was asked, where it is another one. */
function One({ profile, at, by }: OneProps) {
  const models = useWorkspace((state) => state.models);
  return (
    <div className={css.process}>
      <div className={css.head}>
        <b>Profile</b>
        <span className="mono">{profile.instance}</span>
        <span className="dim">
          of the request of {moment(at)}
          {by && (
            <>
              {" "}
              to <span className="mono">{by}</span>
            </>
          )}
          {profile.sampled && "; it made very many calls, so most of them are from samples, every 2 ms"}
        </span>
      </div>
      <FlameGraph
        label={`Profile of ${profile.instance}`}
        nodes={nodesOf(profile)}
        isOwn={(node) => fileAt(models, node.file) !== undefined}
        place={(node) => node.file !== "" && <CodeText text={`${node.file}:${node.line}`} />}
      />
    </div>
  );
}

/** Where the time of the last request went, where it was asked for. */
export function ProfileView({ model }: { model: string }) {
  const profiled = useProfiled(model);
  if (!profiled) return null;
  const { at, asked, profiles } = profiled;
  return profiles.map((profile, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the same instance may have run the request several times
    <One key={`${profile.instance} ${index}`} profile={profile} at={at} by={asked === model ? "" : asked} />
  ));
}
