/** One input of the request: its name, type and shape, and the ways to give it a value. */
import { ChevronDown } from "lucide-react";
import { useEffect, useId, useMemo, useRef } from "react";
import { cx } from "../../lib/cx";
import { guessImage } from "../../lib/image";
import { isDatatype } from "../../lib/tensor";
import { tryOf, useTries } from "../../requests/tries";
import { fitDraft, holdsOne, type Slot, type Source } from "../../requests/tryDrafts";
import { Button } from "../../ui/Button";
import { Menu } from "../../ui/Menu";
import { MiddleTruncate } from "../../ui/MiddleTruncate";
import { Segmented } from "../../ui/Segmented";
import { changeInput } from "./changeInput";
import { DrawInput } from "./DrawInput";
import { FileInput } from "./FileInput";
import type { InputProps } from "./inputProps";
import css from "./inputs.module.css";
import { RandomInput } from "./RandomInput";
import { ShapeEditor } from "./ShapeEditor";
import { inputId } from "./showInput";
import { type Files, useDrop, useFiles } from "./useFiles";
import { useRefused } from "./useRefused";
import { ReadingLine, ValuesInput } from "./ValuesInput";
import { useStanding, Verdict } from "./Verdict";

type Props = { readonly model: string; readonly slot: Slot };

/** What is said of a file that was refused comes into sight. */
function useInSight(refused: string | undefined, about: string): void {
  const told = useRef(refused);
  useEffect(() => {
    if (refused && refused !== told.current)
      document.getElementById(about)?.scrollIntoView?.({ block: "nearest" });
    told.current = refused;
  }, [refused, about]);
}

export function InputCard({ model, slot }: Props) {
  const { name } = slot.spec;
  const stored = useTries((state) => tryOf(model)(state).inputs[name]);
  const draft = useMemo(() => fitDraft(slot, stored), [slot, stored]);
  const props: InputProps = {
    slot,
    draft,
    onChange: (patch, batch) => changeInput(model, name, draft, patch, batch),
  };
  const oneLine = draft.skip || (holdsOne(slot) && draft.source === "values");
  const known = isDatatype(slot.spec.datatype);
  const standing = useStanding(props);
  const insisted = useRefused(model, props, !standing.checking && !standing.problem);
  const about = useId();
  useInSight(draft.refused, about);
  const files = useFiles(model, props);
  const drop = useDrop(props, files);
  return (
    <section
      {...drop}
      className={cx(css.input, oneLine && css.oneLine)}
      id={inputId(name)}
      aria-label={`Input ${name}`}
    >
      <header className={css.head}>
        <span className={css.title}>
          {slot.spec.optional && <OptionalSwitch {...props} />}
          <MiddleTruncate className={css.name} text={name} />
        </span>
        <ShapeEditor {...props} settled={draft.skip} />
        {!oneLine && known && <SourceChoice {...props} />}
      </header>
      {draft.skip ? (
        <span className={css.left}>not sent</span>
      ) : (
        <>
          {known && <Body {...props} oneLine={oneLine} files={files} about={about} />}
          {oneLine && known && <SourceMenu {...props} />}
          <div id={about} className={css.below}>
            <ReadingLine {...props} />
            <Verdict {...props} standing={standing} insisted={insisted} />
          </div>
        </>
      )}
    </section>
  );
}

type BodyProps = InputProps & {
  readonly oneLine: boolean;
  readonly files: Files;
  readonly about: string; // the element that says what is wrong, or what is sent
};

function Body({ oneLine, files, about, ...props }: BodyProps) {
  switch (props.draft.source) {
    case "draw":
      return <DrawInput {...props} />;
    case "file":
      return <FileInput {...props} files={files} />;
    case "values":
      return <ValuesInput {...props} compact={oneLine} about={about} />;
    case "random":
      return <RandomInput {...props} />;
  }
}

type Choice = { readonly value: Source; readonly label: string };

/** The ways to give an input, in one order for all inputs. */
function sources({ spec }: Slot): readonly Choice[] {
  const bytes = spec.datatype === "BYTES";
  const drawable = !bytes && guessImage(spec.shape, spec.datatype) !== undefined;
  return [
    { value: "values", label: bytes ? "Text" : "Values" },
    { value: "file", label: "File" },
    ...(drawable ? [{ value: "draw", label: "Draw" } as const] : []),
    { value: "random", label: "Random" },
  ];
}

function SourceChoice({ slot, draft, onChange }: InputProps) {
  return (
    <span className={css.choice}>
      <Segmented
        label={`How to give ${slot.spec.name}`}
        value={draft.source}
        options={sources(slot)}
        onChange={(source) => onChange({ source })}
      />
    </span>
  );
}

/** The same choice where there is one line for the whole input. */
function SourceMenu({ slot, draft, onChange }: InputProps) {
  const items = sources(slot).map(({ value, label }) => ({
    label,
    checked: value === draft.source,
    onSelect: () => onChange({ source: value }),
  }));
  return (
    <Menu
      align="end"
      groups={[items]}
      trigger={
        <Button
          small
          look="ghost"
          aria-label={`How to give ${slot.spec.name}`}
          title="Text, file or random values"
          icon={<ChevronDown />}
        />
      }
    />
  );
}

function OptionalSwitch({ slot, draft, onChange }: InputProps) {
  return (
    <input
      type="checkbox"
      className={css.optional}
      aria-label={`Send ${slot.spec.name}`}
      title={draft.skip ? "Optional, and not sent" : "Optional: the model works without it"}
      checked={!draft.skip}
      onChange={(event) => onChange({ skip: !event.target.checked })}
    />
  );
}
