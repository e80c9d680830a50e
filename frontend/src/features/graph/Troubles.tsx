/** What is broken in the graph, in sentences; choosing one selects the part. */
import { useLayoutEffect, useRef, useState } from "react";
import type { GetGraphResponse } from "../../api/conch_pb";
import { Unbroken } from "../../ui/Unbroken";
import { ProblemText } from "../../workspace/ProblemText";
import { useTelling } from "../../workspace/told";
import { asSentence } from "../../workspace/workspace";
import css from "./graph.module.css";
import { wholeRows } from "./wholeRows";

type Props = { readonly graph: GetGraphResponse; readonly onSelect: (id: string) => void };

/** The height of the rows that are shown before somebody asks for more. */
const MOST = 96;

export function Troubles({ graph, onSelect }: Props) {
  const nodes = graph.nodes.map(({ id, label, problem }) => ({ id, name: label, problem }));
  const edges = graph.edges.map(({ id, tensor, problem }) => ({ id, name: tensor, problem }));
  // A step and the tensor that it misses tell the same; once is enough, and the tensor is where it shows.
  const broken = [...edges, ...nodes].filter(
    ({ problem }, i, all) => problem !== "" && all.findIndex((other) => other.problem === problem) === i,
  );
  const list = useRef<HTMLUListElement>(null);
  const rows = useWholeRows(list, broken.length);
  const [all, setAll] = useState(false);
  useTelling(
    "list",
    broken.slice(0, all ? broken.length : rows.count).map(({ problem }) => problem),
  );
  if (broken.length === 0) return null;
  const more = broken.length - rows.count;
  return (
    <div className={css.troubles}>
      <ul
        ref={list}
        className={all ? css.allTroubles : css.someTroubles}
        style={all || more === 0 ? undefined : { height: rows.height }}
        aria-label="Broken parts of the graph"
      >
        {broken.map(({ id, name, problem }, index) => (
          <li key={id} className={!all && index >= rows.count ? css.outOfSight : undefined}>
            <button type="button" className={css.trouble} onClick={() => onSelect(id)}>
              <svg className={css.triangle} viewBox="0 0 10 10" aria-hidden="true">
                <path d="M5 1 9.6 9H.4z" fill="currentColor" />
              </svg>
              <span>
                {!isNamed(name, problem) && (
                  <strong className="mono">
                    <Unbroken text={`${name}: `} />
                  </strong>
                )}
                <ProblemText text={asSentence(problem)} whole />
              </span>
            </button>
          </li>
        ))}
      </ul>
      {more > 0 && (
        <button type="button" className={css.moreTroubles} onClick={() => setAll(!all)}>
          {all ? "Show fewer" : `${more} more`}
        </button>
      )}
    </div>
  );
}

/** Whether a problem says itself what it is of: it quotes it, or begins with it. */
const isNamed = (name: string, problem: string) =>
  problem.includes(`"${name}"`) || asSentence(problem).toLowerCase().startsWith(`${name.toLowerCase()} `);

/** How many rows of a list fit, and their height, at the width that it has. */
function useWholeRows(list: React.RefObject<HTMLUListElement | null>, count: number) {
  const [rows, setRows] = useState({ count, height: 0 });
  useLayoutEffect(() => {
    const element = list.current;
    if (!element) return;
    const measure = () => {
      const heights = Array.from({ length: count }, (_, i) => element.children[i]?.clientHeight ?? 0);
      setRows((before) => {
        const now = wholeRows(heights, MOST);
        return before.count === now.count && before.height === now.height ? before : now;
      });
    };
    const sizes = new ResizeObserver(measure);
    sizes.observe(element);
    measure();
    return () => sizes.disconnect();
  }, [list, count]);
  return rows;
}
