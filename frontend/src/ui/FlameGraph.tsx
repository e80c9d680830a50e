import { Search } from "lucide-react";
import { type CSSProperties, type KeyboardEvent, type ReactNode, useMemo, useRef, useState } from "react";
import { cx } from "../lib/cx";
import { type FlameBox, type FlameNode, layoutFlame, stepFlame, totalOf } from "../lib/flame";
import { count, nanoseconds, significant } from "../lib/format";
import css from "./FlameGraph.module.css";
import { TextField } from "./TextField";

const ROW = 22;
/** What is narrower can neither be read nor pressed. */
const LEAST = 0.0015;
/** In what is narrower no part of a name can be read. */
const LEAST_NAMED = 0.02;

export interface FlameGraphProps {
  label: string;
  nodes: readonly FlameNode[];
  /** Whether a function is the user's own. */
  isOwn: (node: FlameNode) => boolean;
  /** Where the function is, as a way there. */
  place: (node: FlameNode) => ReactNode;
}

const kindOf = (node: FlameNode, isOwn: FlameGraphProps["isOwn"]): string | undefined => {
  if (node.file === "") return css.native;
  return isOwn(node) ? css.own : css.library;
};

const share = (part: number, whole: number) =>
  whole > 0 ? `${significant((part / whole) * 100, 1)} %` : "–";

interface BoxProps {
  box: FlameBox;
  node: FlameNode;
  whole: number;
  className: string;
  isAt: boolean;
  onChoose: () => void;
  onLook: () => void;
}

function Box({ box, node, whole, className, isAt, onChoose, onLook }: BoxProps) {
  const style: CSSProperties = {
    left: `${box.left * 100}%`,
    width: `${box.width * 100}%`,
    top: box.depth * ROW,
    height: ROW - 1,
  };
  return (
    <button
      type="button"
      role="treeitem"
      aria-level={box.depth + 1}
      aria-selected={isAt}
      aria-label={`${node.name}, ${nanoseconds(node.total)}, ${share(node.total, whole)}`}
      tabIndex={isAt ? 0 : -1}
      data-node={box.node}
      className={className}
      style={style}
      onClick={onChoose}
      onFocus={onLook}
      onPointerEnter={onLook}
    >
      {box.width >= LEAST_NAMED && node.name}
    </button>
  );
}

/** A tree of calls, as wide as they took. A press looks at one alone; the arrows go from call to call. */
export function FlameGraph({ label, nodes, isOwn, place }: FlameGraphProps) {
  const [zoomed, setZoomed] = useState(-1);
  const [at, setAt] = useState(0);
  const [text, setText] = useState("");
  const host = useRef<HTMLDivElement>(null);
  const boxes = useMemo(() => layoutFlame(nodes, zoomed, LEAST), [nodes, zoomed]);
  const wanted = text.trim().toLowerCase();
  const whole = totalOf(nodes);
  const shown = nodes[at];
  const depth = Math.max(0, ...boxes.map((box) => box.depth)) + 1;
  const matches = wanted === "" ? 0 : nodes.filter((node) => node.name.toLowerCase().includes(wanted)).length;

  const focus = (node: number) => host.current?.querySelector<HTMLElement>(`[data-node="${node}"]`)?.focus();
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape" && zoomed >= 0) {
      event.stopPropagation();
      setZoomed(-1);
      return;
    }
    const next = stepFlame(nodes, at, event.key);
    if (!event.key.startsWith("Arrow")) return;
    event.preventDefault();
    focus(next);
  };
  const classOf = (box: FlameBox, node: FlameNode) =>
    cx(
      css.box,
      kindOf(node, isOwn),
      zoomed >= 0 && box.width === 1 && box.node !== zoomed && css.above,
      wanted !== "" && (node.name.toLowerCase().includes(wanted) ? css.match : css.other),
    );

  return (
    <section className={css.graph} aria-label={label}>
      <div className={css.head}>
        <TextField
          className={css.search}
          icon={<Search aria-hidden="true" />}
          aria-label="Find a function"
          placeholder="Find a function"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        {wanted !== "" && <span className="dim">{count(matches, "call")}</span>}
        {zoomed >= 0 && (
          <button type="button" className={css.all} onClick={() => setZoomed(-1)}>
            Show all
          </button>
        )}
      </div>
      <div
        ref={host}
        className={css.boxes}
        role="tree"
        aria-label={label}
        style={{ height: depth * ROW }}
        onKeyDown={onKeyDown}
      >
        {boxes.map((box) => {
          const node = nodes[box.node];
          return (
            node && (
              <Box
                key={box.node}
                box={box}
                node={node}
                whole={whole}
                isAt={box.node === at}
                className={classOf(box, node)}
                onChoose={() => setZoomed(box.node === zoomed ? -1 : box.node)}
                onLook={() => setAt(box.node)}
              />
            )
          );
        })}
      </div>
      {shown && (
        <p className={css.shown} aria-live="polite">
          <b className="mono">{shown.name}</b> {nanoseconds(shown.total)}, {share(shown.total, whole)}
          {shown.calls > 0 && `, ${count(shown.calls, "call")}`} {place(shown)}
        </p>
      )}
    </section>
  );
}
