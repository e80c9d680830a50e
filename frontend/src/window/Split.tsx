import { type ReactNode, type RefObject, useEffect, useLayoutEffect, useRef } from "react";
import {
  Group,
  type Layout,
  type LayoutChangedMeta,
  Panel,
  type PanelImperativeHandle,
  Separator,
  usePanelRef,
} from "react-resizable-panels";
import { cx } from "../lib/cx";
import css from "./Split.module.css";
import { paneSize, setPaneSize, useSettings } from "./settings";

export interface SplitProps {
  /** Under this name the size is remembered. */
  name: string;
  /** What the separator moves, for screen readers. */
  label: string;
  direction?: "horizontal" | "vertical";
  /** Which side keeps its size when the window changes. */
  fixed: "first" | "second";
  size: number;
  min: number;
  /** The largest share that it takes where nobody chose a size. */
  share?: number;
  /** The least that is left for the other side. */
  rest: number;
  first: ReactNode;
  /** Undefined while there is nothing to show: the first side has all the room, and keeps its state. */
  second: ReactNode | undefined;
}

/** Keeps a pane at its share of the window's width where its usual size is more, also when the window changes. */
function useShare(
  panel: RefObject<PanelImperativeHandle | null>,
  { share, size, chosen }: { share: number | undefined; size: number; chosen: boolean },
): void {
  useEffect(() => {
    if (share === undefined || chosen) return;
    const narrow = () => panel.current?.resize(`${Math.min(size, Math.round(share * window.innerWidth))}px`);
    if (share * window.innerWidth < size) narrow(); // to ask for a size costs a layout of the page
    window.addEventListener("resize", narrow);
    return () => window.removeEventListener("resize", narrow);
  }, [panel, share, size, chosen]);
}

/** Another usual size is taken up where nobody chose one. A pane that comes begins with it. */
function useSizeAskedFor(
  panel: RefObject<PanelImperativeHandle | null>,
  { size, shown, chosen }: { size: number; shown: boolean; chosen: boolean },
): void {
  const before = useRef<number>(undefined);
  useLayoutEffect(() => {
    const other = before.current !== undefined && before.current !== size;
    before.current = shown ? size : undefined;
    if (other && shown && !chosen) panel.current?.resize(`${size}px`);
  }, [panel, size, shown, chosen]);
}

/** Two panes with a separator that can be dragged, or moved with the arrow keys. Sizes are in pixels. */
export function Split(props: SplitProps) {
  const { name, label, direction = "horizontal", fixed, size, min, share, rest, first, second } = props;
  const panel = usePanelRef();
  const id = name.replaceAll(" ", "-");
  const wanted = useSettings((settings) => settings.panes[name]);
  // The settings may come after the panes were drawn.
  useEffect(() => {
    if (wanted === undefined) return; // to ask for the size costs a layout of the page
    const now = panel.current?.getSize().inPixels;
    if (now !== undefined && Math.round(now) !== wanted) panel.current?.resize(`${wanted}px`);
  }, [panel, wanted]);
  useShare(panel, { share, size, chosen: wanted !== undefined });
  useSizeAskedFor(panel, { size, shown: second !== undefined, chosen: wanted !== undefined });
  // Only what a person chose is remembered, not what a small window forced.
  const remember = (_: Layout, { isUserInteraction }: LayoutChangedMeta) => {
    if (!isUserInteraction) return;
    const pixels = panel.current?.getSize().inPixels;
    if (pixels !== undefined) setPaneSize(name, Math.round(pixels));
  };
  const keeps = {
    defaultSize: `${paneSize(name) ?? size}px`,
    minSize: `${min}px`,
    groupResizeBehavior: "preserve-pixel-size" as const,
    panelRef: panel,
  };
  const yields = { minSize: `${rest}px` };
  return (
    <Group orientation={direction} className={css.group} onLayoutChanged={remember}>
      <Panel id={`${id}-first`} className={css.pane} {...(fixed === "first" ? keeps : yields)}>
        {first}
      </Panel>
      {second !== undefined && <Separator className={cx(css.separator, css[direction])} title={label} />}
      {second !== undefined && (
        <Panel id={`${id}-second`} className={css.pane} {...(fixed === "second" ? keeps : yields)}>
          {second}
        </Panel>
      )}
    </Group>
  );
}
