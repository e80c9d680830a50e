/** What is broken in the graph, in sentences; choosing one selects the part. */
import type { GetGraphResponse } from "../../api/conch_pb";
import { asSentence } from "../../workspace/workspace";
import css from "./graph.module.css";

type Props = { readonly graph: GetGraphResponse; readonly onSelect: (id: string) => void };

export function Troubles({ graph, onSelect }: Props) {
  const nodes = graph.nodes.map(({ id, label, problem }) => ({ id, name: label, problem }));
  const edges = graph.edges.map(({ id, tensor, problem }) => ({ id, name: tensor, problem }));
  // A step and the tensor that it misses tell the same; once is enough, and the tensor is where it shows.
  const broken = [...edges, ...nodes].filter(
    ({ problem }, i, all) => problem !== "" && all.findIndex((other) => other.problem === problem) === i,
  );
  if (broken.length === 0) return null;
  return (
    <ul className={css.troubles} aria-label="Broken parts of the graph">
      {broken.map(({ id, name, problem }) => (
        <li key={id}>
          <button type="button" className={css.trouble} onClick={() => onSelect(id)}>
            <svg className={css.triangle} viewBox="0 0 10 10" aria-hidden="true">
              <path d="M5 1 9.6 9H.4z" fill="currentColor" />
            </svg>
            <span>
              {!problem.includes(`"${name}"`) && <strong className="mono">{name}: </strong>}
              {asSentence(problem)}
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}
