import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { useStore } from "zustand";
import type { OutlineItem } from "../../api/conch_pb";
import { cx } from "../../lib/cx";
import { Dialog } from "../../ui/Dialog";
import { TextField } from "../../ui/TextField";
import css from "./names.module.css";
import type { Session } from "./session";
import { jump } from "./sessions";

const matches = (text: string) => {
  const words = text.toLowerCase().split(/\s+/);
  return ({ label, detail }: OutlineItem) =>
    words.every((word) => `${label} ${detail}`.toLowerCase().includes(word));
};

interface PartProps {
  part: OutlineItem;
  chosen: boolean;
  onChoose: () => void;
}

function Part({ part, chosen, onChoose }: PartProps) {
  const row = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (chosen) row.current?.scrollIntoView({ block: "nearest" });
  }, [chosen]);
  return (
    <li>
      <button
        ref={row}
        type="button"
        tabIndex={-1}
        className={cx(css.part, chosen && css.chosen)}
        style={{ paddingLeft: 10 + part.depth * 18 }}
        onClick={onChoose}
      >
        <span>{part.label}</span>
        <span className={css.detail}>{part.detail}</span>
        <span className={css.where}>{part.line}</span>
      </button>
    </li>
  );
}

function Parts({ session, onChoose }: { session: Session; onChoose: (part: OutlineItem) => void }) {
  const outline = useStore(session.store, (state) => state.outline);
  const isRead = useStore(session.store, (state) => state.judged > 0);
  const [text, setText] = useState("");
  const [entered, setEntered] = useState(false);
  const [chosen, setChosen] = useState(0);
  const shown = outline.filter(matches(text));
  const go = (part: OutlineItem | undefined) => {
    if (!part) return;
    onChoose(part);
    session.close("dialog");
  };
  // Who types at once and presses Enter may be faster than the answer with the parts.
  useEffect(() => {
    if (entered && isRead) go(shown[chosen]);
  });
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Enter") setEntered(true);
    else if (step === undefined) return;
    else setChosen(Math.max(0, Math.min(shown.length - 1, chosen + step)));
    event.preventDefault();
  };
  return (
    <>
      <TextField
        autoFocus
        className={css.field}
        aria-label="Filter the outline"
        placeholder="Filter"
        value={text}
        onKeyDown={onKeyDown}
        onChange={(event) => {
          setText(event.target.value);
          setChosen(0);
          setEntered(false);
        }}
      />
      <ul className={css.outline} aria-label="Parts of the config">
        {shown.map((part, index) => (
          <Part
            key={`${part.line} ${part.from} ${part.label}`}
            part={part}
            chosen={index === chosen}
            onChoose={() => go(part)}
          />
        ))}
        {shown.length === 0 && (
          <li className={css.hint}>
            {isRead ? "Nothing in this config has this name." : "Reading the config…"}
          </li>
        )}
      </ul>
    </>
  );
}

/** The parts of the config, to go to by name. */
export function OutlineDialog({ session }: { session: Session }) {
  const open = useStore(session.store, (state) => state.dialog?.kind === "outline");
  const chosen = useRef<OutlineItem>(undefined);
  if (!open) return null;
  const onClosed = () => {
    const part = chosen.current;
    chosen.current = undefined;
    if (part) jump(session, part.from, part.from);
  };
  return (
    <Dialog open title="Outline" onClose={() => session.close("dialog")} onClosed={onClosed}>
      <Parts
        session={session}
        onChoose={(part) => {
          chosen.current = part;
        }}
      />
    </Dialog>
  );
}
