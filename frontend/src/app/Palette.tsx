import { Command as Cmdk } from "cmdk";
import { useEffect, useMemo, useRef, useState } from "react";
import type { ModelSummary } from "../api/conch_pb";
import { count } from "../lib/format";
import { floating } from "../ui/floating";
import { useFocusBack } from "../ui/focusBack";
import { KeyHint } from "../ui/KeyHint";
import { MiddleTruncate } from "../ui/MiddleTruncate";
import { Named } from "../ui/Named";
import { useWhyOff } from "../ui/reach";
import { goToModel, usePlace } from "../window/place";
import { StateIcon } from "../workspace/StateIcon";
import { useWorkspace } from "../workspace/workspace";
import type { Command } from "./command";
import { currentCommands, generalCommands, settingCommands } from "./commands";
import { modelCommands } from "./modelCommands";
import { otherCommands } from "./otherCommands";
import css from "./Palette.module.css";
import { useFound } from "./paletteFound";
import { bestMatches, fits, guessed } from "./paletteSearch";
import { usePalette } from "./paletteState";

const close = () => usePalette.setState({ open: false });

/** Runs after the dialog is gone, so that focus lands where the command takes it. */
function choose(run: () => void): void {
  close();
  requestAnimationFrame(() => {
    run();
    requestAnimationFrame(focusPage);
  });
}

/** What was chosen may lead to a page that takes no focus by itself: keys go on from there then. */
function focusPage(): void {
  const at = document.activeElement;
  if (at && at !== document.body) return;
  document.querySelector<HTMLElement>("main")?.focus({ preventScroll: true });
}

function Entry({ entry, heading }: { entry: Command; heading: string }) {
  const off = useWhyOff(entry.needs);
  return (
    <Cmdk.Item
      value={`${heading} ${entry.label}`}
      data-label={entry.label}
      className={css.item}
      disabled={off !== undefined}
      title={off}
      onSelect={() => choose(entry.run)}
    >
      <Named text={entry.label} names={entry.names ?? []} className={css.label} />
      {entry.note && <span className={css.note}>{entry.note}</span>}
      {entry.shortcut && <KeyHint keys={entry.shortcut} />}
    </Cmdk.Item>
  );
}

const moreWords = (more: number): string =>
  `${count(more, "more command")}: type more of a model's name to see ${more === 1 ? "it" : "them"}`;

interface CommandsProps {
  heading: string;
  named?: boolean; // the heading is the name of a model
  entries: readonly Command[];
  /** How many others there are, which are found by more of their words. */
  more?: number;
}

function Commands({ heading, named, entries, more = 0 }: CommandsProps) {
  if (entries.length === 0) return null;
  return (
    <Cmdk.Group heading={named ? <span className="mono">{heading}</span> : heading} className={css.group}>
      {entries.map((entry, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two requests may read the same
        <Entry key={`${entry.label} ${at}`} entry={entry} heading={`${heading} ${at}`} />
      ))}
      {more > 0 && <div className={css.more}>{moreWords(more)}</div>}
    </Cmdk.Group>
  );
}

function Models({ models }: { models: ModelSummary[] }) {
  if (models.length === 0) return null;
  return (
    <Cmdk.Group heading="Models" className={css.group}>
      {models.map((model) => (
        <Cmdk.Item
          key={model.name}
          value={`model ${model.name}`}
          data-label={model.name}
          className={css.item}
          onSelect={() => choose(() => goToModel(model.name))}
        >
          <StateIcon state={model.state} />
          <MiddleTruncate text={model.name} className={css.label} />
          <span className={css.kind}>{model.kind}</span>
        </Cmdk.Item>
      ))}
    </Cmdk.Group>
  );
}

/** The first entry that can be chosen, or the one that is called exactly as what was typed. */
function bestItem(list: HTMLElement | null, text: string): string | undefined {
  const items = [...(list?.querySelectorAll<HTMLElement>("[cmdk-item]:not([aria-disabled=true])") ?? [])];
  const exact = items.find(({ dataset }) => dataset.label?.toLowerCase() === text);
  return (exact ?? items[0])?.dataset.value;
}

const itemOf = (selected: string): HTMLElement | undefined =>
  [...document.querySelectorAll<HTMLElement>("[cmdk-item]")].find(
    ({ dataset }) => dataset.value === selected,
  );

/**
 * Names the selected entry to the field, where a screen reader looks for it: the library does so only for an entry that a
 * key or the pointer selected.
 */
function nameSelected(selected: string): void {
  const id = itemOf(selected)?.id;
  const field = document.querySelector("[cmdk-input]");
  if (id) field?.setAttribute("aria-activedescendant", id);
  else field?.removeAttribute("aria-activedescendant");
}

/**
 * Scrolls the list until the whole entry is in sight, and the heading above the first of a group. The library scrolls to the
 * entry that was selected before, and not at all when the selection comes from here.
 */
function show(selected: string): void {
  const item = itemOf(selected);
  const first = item && item.parentElement?.firstElementChild === item;
  const heading = first && item.closest("[cmdk-group]")?.querySelector("[cmdk-group-heading]");
  for (const part of [heading, item]) if (part) part.scrollIntoView({ block: "nearest" });
}

type FoundProps = {
  readonly text: string;
  /** Called when the list is drawn, with the entry to select while nobody moves the selection. */
  readonly onDrawn: (best: string | undefined) => void;
};

function Found({ text, onDrawn }: FoundProps) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => onDrawn(bestItem(list.current, text))); // what is found comes in parts
  const models = useWorkspace((state) => state.models);
  const here = usePlace((place) => place.model);
  const found = useMemo(() => bestMatches(models.values(), text), [models, text]);
  const about = modelCommands(models.get(here)).filter((entry) => fits(entry, text));
  const others = useMemo(() => otherCommands(models.values(), here, text), [models, here, text]);
  const { tensors, problems, requests } = useFound(text);
  const late = guessed(found, text); // what says the very word comes before a guess
  const always = [...generalCommands, ...settingCommands(), ...currentCommands()];
  const general = always.filter((entry) => fits(entry, text));
  return (
    <Cmdk.List ref={list} className={css.list}>
      <Cmdk.Empty className={css.none}>Nothing found</Cmdk.Empty>
      {text === "" && <Commands named heading={here} entries={about} />}
      {!late && <Models models={found} />}
      {text !== "" && <Commands named heading={here} entries={about} />}
      <Commands heading="Commands" entries={general} />
      <Commands
        heading={here === "" ? "Commands of models" : "Commands of other models"}
        entries={others.offered}
        more={others.more}
      />
      {late && <Models models={found} />}
      <Commands heading="Tensors" entries={tensors} />
      <Commands heading="Problems" entries={problems} />
      <Commands heading="Requests" entries={requests} />
    </Cmdk.List>
  );
}

/** Go to anything, do anything. */
export function Palette() {
  const open = usePalette((palette) => palette.open);
  const [text, setText] = useState("");
  const [selected, setSelected] = useState("");
  const movedBy = useRef<"key" | "pointer">(undefined);
  const focusBack = useFocusBack(open);
  const tell = (now: string) => {
    nameSelected(now);
    if (movedBy.current !== "pointer") show(now); // under the pointer nothing moves
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: told once for each selection
  useEffect(() => tell(selected), [selected]);
  useEffect(() => {
    if (open) return;
    setText("");
    setSelected("");
    movedBy.current = undefined;
  }, [open]);
  const onOpenChange = (next: boolean) => {
    usePalette.setState({ open: next });
    if (!next) requestAnimationFrame(focusBack); // when the palette is gone
  };
  return (
    <Cmdk.Dialog
      open={open}
      onOpenChange={onOpenChange}
      label="Command palette"
      container={floating()}
      shouldFilter={false}
      loop
      value={selected}
      onValueChange={setSelected}
      onPointerMove={() => {
        movedBy.current = "pointer";
      }}
      onWheel={() => {
        movedBy.current = "pointer";
      }}
      onKeyDown={({ key, ctrlKey }) => {
        if (/^(ArrowUp|ArrowDown|Home|End)$/.test(key) || (ctrlKey && /^[njpk]$/.test(key)))
          movedBy.current = "key";
      }}
      overlayClassName={css.scrim}
      contentClassName={css.dialog}
    >
      <Cmdk.Input
        className={css.input}
        placeholder="Go to model, tensor, request, command"
        value={text}
        onValueChange={(next) => {
          movedBy.current = undefined;
          setText(next);
        }}
      />
      <Found
        text={text.trim().toLowerCase()}
        onDrawn={(best) => {
          if (!movedBy.current && best !== undefined) setSelected(best);
          tell(movedBy.current ? selected : (best ?? ""));
        }}
      />
    </Cmdk.Dialog>
  );
}
