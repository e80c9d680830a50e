import { useVirtualizer } from "@tanstack/react-virtual";
import { Plus, Search, X } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { Button } from "../../ui/Button";
import { TextField } from "../../ui/TextField";
import { openDialog } from "../../window/dialogs";
import { goToModel, usePlace } from "../../window/place";
import { useKeptScroll } from "../../window/useKeptScroll";
import { loadAllModels, useModelActions } from "../../workspace/modelActions";
import { useWorkspace } from "../../workspace/workspace";
import { type Line, linesOf, matches } from "./filter";
import { ModelRow } from "./ModelRow";
import css from "./Sidebar.module.css";

const ROW_HEIGHT = 30;
const GROUP_HEIGHT = 27;
const LIST_ID = "models";

function nextModel(lines: Line[], from: number, step: 1 | -1): number {
  for (let i = from + step; i >= 0 && i < lines.length; i += step) if (lines[i]?.type === "model") return i;
  return from;
}

const keyOf = (line: Line | undefined) =>
  line?.type === "model" ? `m:${line.model.name}` : `g:${line?.label}`;

function ModelList({ lines, selected }: { lines: Line[]; selected: string }) {
  const scroller = useRef<HTMLDivElement>(null);
  const kept = useKeptScroll("models", scroller);
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: (i) => (lines[i]?.type === "group" ? GROUP_HEIGHT : ROW_HEIGHT),
    getItemKey: (i) => keyOf(lines[i]),
    overscan: 12,
  });
  const at = lines.findIndex((line) => line.type === "model" && line.model.name === selected);
  const first = lines.findIndex((line) => line.type === "model");
  const scrollTo = virtual.scrollToIndex;
  useEffect(() => {
    if (at >= 0) scrollTo(at, { align: "auto" });
  }, [at, scrollTo]);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : undefined;
    if (!step) return;
    event.preventDefault();
    const line = lines[nextModel(lines, at, step)];
    if (line?.type !== "model") return;
    goToModel(line.model.name);
    requestAnimationFrame(() => {
      scroller.current?.querySelector<HTMLElement>(`[data-model="${CSS.escape(line.model.name)}"]`)?.focus();
    });
  };
  return (
    <div
      ref={kept}
      id={LIST_ID}
      className={css.list}
      role="listbox"
      aria-label="Models"
      tabIndex={-1}
      onKeyDown={onKeyDown}
    >
      <div style={{ height: virtual.getTotalSize(), position: "relative" }}>
        {virtual.getVirtualItems().map((item) => {
          const line = lines[item.index];
          if (!line) return null;
          return (
            <div
              key={item.key}
              className={css.slot}
              style={{ height: item.size, transform: `translateY(${item.start}px)` }}
            >
              {line.type === "group" ? (
                <div className={css.group} role="presentation">
                  <span>{line.label}</span>
                  <span>{line.count}</span>
                </div>
              ) : (
                <ModelRow
                  model={line.model}
                  selected={item.index === at}
                  tabbable={at >= 0 ? item.index === at : item.index === first}
                />
              )}
            </div>
          );
        })}
      </div>
    </div>
  );
}

function Foot() {
  const loadingAll = useModelActions((state) => state.loadingAll);
  return (
    <div className={css.foot}>
      <Button small look="ghost" needs="app" icon={<Plus />} onClick={() => openDialog("newModel")}>
        New model
      </Button>
      <Button
        small
        look="ghost"
        needs="engine"
        className={css.last}
        disabled={loadingAll}
        onClick={() => void loadAllModels()}
      >
        {loadingAll ? "Loading all" : "Load all"}
      </Button>
    </div>
  );
}

/** A model that is opened from elsewhere has its row: a filter that hides it goes. */
function useUncovered(change: (to: (filter: string) => string) => void): void {
  useEffect(
    () =>
      usePlace.subscribe(({ model: name }, before) => {
        const model = name === before.model ? undefined : useWorkspace.getState().models.get(name);
        if (model) change((filter) => (matches(model, filter) ? filter : ""));
      }),
    [change],
  );
}

/** Every model of the repository, with a filter. Messages have their place under the list. */
export function Sidebar({ messages }: { readonly messages?: ReactNode }) {
  const models = useWorkspace((state) => state.models);
  const selected = usePlace((place) => place.model);
  const [filter, setFilter] = useState("");
  useUncovered(setFilter);
  const lines = useMemo(() => linesOf(models.values(), filter), [models, filter]);
  const onFilterKey = (event: KeyboardEvent) => {
    if (event.key === "Escape") setFilter("");
    if (event.key !== "ArrowDown" && event.key !== "Enter") return;
    event.preventDefault();
    const line = lines.find((candidate) => candidate.type === "model");
    if (line?.type === "model") goToModel(line.model.name);
  };
  return (
    <nav className={css.side} aria-label="Model list">
      <div className={css.filter}>
        <TextField
          icon={<Search aria-hidden="true" />}
          placeholder="Filter models"
          aria-label="Filter models"
          aria-controls={LIST_ID}
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
          onKeyDown={onFilterKey}
          trailing={
            filter !== "" && (
              <button
                type="button"
                className={css.clear}
                aria-label="Clear the filter"
                onClick={() => setFilter("")}
              >
                <X />
              </button>
            )
          }
        />
      </div>
      <ModelList lines={lines} selected={selected} />
      {lines.length === 0 && filter !== "" && <p className={css.none}>No model matches “{filter}”</p>}
      {messages}
      <Foot />
    </nav>
  );
}
