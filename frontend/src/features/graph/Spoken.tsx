import { useMemo } from "react";
import type { GetGraphResponse } from "../../api/conch_pb";
import { outline, spoken } from "./outline";
import { useSelection } from "./selection";

/** The graph for those who hear it: what is chosen, and a list of all. */
export function Spoken({ model, graph }: { readonly model: string; readonly graph: GetGraphResponse }) {
  const { id } = useSelection(model);
  const sentences = useMemo(() => outline(graph), [graph]);
  const told = useMemo(() => spoken(graph, sentences, id), [graph, sentences, id]);
  return (
    <div className="visually-hidden">
      <p role="status">{sentences.find((one) => one.id === id)?.text}</p>
      <ul aria-label="Steps and tensors of the graph">
        {told.map((one) => (
          <li key={one.id}>{one.text}</li>
        ))}
      </ul>
      {told.length < sentences.length && (
        <p>
          {sentences.length - told.length} more. The arrow keys reach all of them, and Find looks for one by
          name.
        </p>
      )}
    </div>
  );
}
