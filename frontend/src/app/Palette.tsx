import { Command as Cmdk } from "cmdk";
import { useMemo, useState } from "react";
import type { ModelSummary } from "../api/conch_pb";
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
import { currentCommands, generalCommands, modelCommands } from "./commands";
import css from "./Palette.module.css";
import { useFound } from "./paletteFound";
import { bestMatches, fits } from "./paletteSearch";
import { usePalette } from "./paletteState";

const close = () => usePalette.setState({ open: false });

/** Runs after the dialog is gone, so that focus lands where the command takes it. */
function choose(run: () => void): void {
  close();
  requestAnimationFrame(run);
}

function Entry({ entry, heading }: { entry: Command; heading: string }) {
  const off = useWhyOff(entry.needs);
  return (
    <Cmdk.Item
      value={`${heading} ${entry.label}`}
      className={css.item}
      disabled={off !== undefined}
      title={off}
      onSelect={() => choose(entry.run)}
    >
      <Named text={entry.label} names={entry.name ? [entry.name] : []} className={css.label} />
      {entry.note && <span className={css.note}>{entry.note}</span>}
      {entry.shortcut && <KeyHint keys={entry.shortcut} />}
    </Cmdk.Item>
  );
}

interface CommandsProps {
  heading: string;
  named?: boolean; // the heading is the name of a model
  entries: readonly Command[];
}

function Commands({ heading, named, entries }: CommandsProps) {
  if (entries.length === 0) return null;
  return (
    <Cmdk.Group heading={named ? <span className="mono">{heading}</span> : heading} className={css.group}>
      {entries.map((entry, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two requests may read the same
        <Entry key={`${entry.label} ${at}`} entry={entry} heading={`${heading} ${at}`} />
      ))}
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

function Found({ text }: { text: string }) {
  const models = useWorkspace((state) => state.models);
  const here = usePlace((place) => place.model);
  const found = useMemo(() => bestMatches(models.values(), text), [models, text]);
  const about = modelCommands(models.get(here)).filter((entry) => fits(entry, text));
  const { tensors, problems, requests } = useFound(text);
  const general = [...generalCommands, ...currentCommands()].filter((entry) => fits(entry, text));
  return (
    <Cmdk.List className={css.list}>
      <Cmdk.Empty className={css.none}>Nothing found</Cmdk.Empty>
      {text === "" && <Commands named heading={here} entries={about} />}
      <Models models={found} />
      {text !== "" && <Commands named heading={here} entries={about} />}
      <Commands heading="Commands" entries={general} />
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
  const focusBack = useFocusBack(open);
  const onOpenChange = (next: boolean) => {
    usePalette.setState({ open: next });
    if (next) return;
    setText("");
    requestAnimationFrame(focusBack); // when the palette is gone
  };
  return (
    <Cmdk.Dialog
      open={open}
      onOpenChange={onOpenChange}
      label="Command palette"
      container={floating()}
      shouldFilter={false}
      loop
      overlayClassName={css.scrim}
      contentClassName={css.dialog}
    >
      <Cmdk.Input
        className={css.input}
        placeholder="Go to model, tensor, request, command"
        value={text}
        onValueChange={setText}
      />
      <Found text={text.trim().toLowerCase()} />
    </Cmdk.Dialog>
  );
}
