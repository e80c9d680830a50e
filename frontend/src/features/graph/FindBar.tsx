/** Search in the graph: steps, models and tensors. */
import { Search, X } from "lucide-react";
import { useEffect, useMemo, useRef, useState } from "react";
import type { GetGraphResponse } from "../../api/conch_pb";
import { Button } from "../../ui/Button";
import { TextField } from "../../ui/TextField";
import { find } from "./find";
import css from "./graph.module.css";
import { select } from "./selection";

type Props = {
  readonly model: string;
  readonly graph: GetGraphResponse;
  readonly onFound: (ids: ReadonlySet<string>) => void;
  readonly onReveal: (id: string) => void;
  readonly onClose: () => void;
};

export function FindBar({ model, graph, onFound, onReveal, onClose }: Props) {
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const ids = useMemo(() => find(graph, text), [graph, text]);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  useEffect(() => {
    onFound(new Set(ids));
    return () => onFound(new Set());
  }, [ids, onFound]);
  const go = (place: number, list = ids) => {
    const id = list.at(place % (list.length || 1));
    if (id === undefined) return;
    setAt(list.indexOf(id));
    select(model, id);
    onReveal(id);
  };
  return (
    <search className={css.find}>
      <TextField
        ref={field}
        icon={<Search />}
        aria-label="Find a step, model or tensor in the graph"
        placeholder="Step, model or tensor"
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          go(0, find(graph, target.value));
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter") go(at + (event.shiftKey ? -1 : 1));
          else if (event.key === "Escape") onClose();
          else return;
          event.preventDefault();
          event.stopPropagation();
        }}
      />
      <span className={css.findCount} role="status">
        {text.trim() === "" ? "" : ids.length === 0 ? "Not found" : `${at + 1} of ${ids.length}`}
      </span>
      <Button small look="ghost" icon={<X />} aria-label="Close the search" onClick={onClose} />
    </search>
  );
}
