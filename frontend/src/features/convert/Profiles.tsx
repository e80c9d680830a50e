import { Plus, X } from "lucide-react";
import { useEffect, useRef } from "react";
import type { DescribeConversionResponse } from "../../api/conch_pb";
import { Button } from "../../ui/Button";
import { type Choice, type Problems, rangeField } from "./choice";
import css from "./convert.module.css";
import { Field } from "./Field";
import { isGuess, type Profile, rangeText, varying } from "./ranges";

interface Props {
  readonly of: DescribeConversionResponse;
  readonly choice: Choice;
  readonly problems: Problems;
  readonly onChange: (choice: Choice) => void;
}

interface OneProps extends Props {
  readonly profile: Profile;
  readonly number: number;
  readonly onRemove: () => void;
}

/** The shapes of a profile. Where it is the only one, nobody has to know what a profile is. */
function One({ of, choice, problems, onChange, profile, number, onRemove }: OneProps) {
  const several = choice.profiles.length > 1;
  const guessed = varying(of.inputs)
    .filter((input) => isGuess(profile, input, of.maxBatchSize))
    .map(({ name }) => name);
  const type = (input: string, text: string) => {
    const typed = { ...profile, ranges: { ...profile.ranges, [input]: text } };
    onChange({ ...choice, profiles: choice.profiles.map((one) => (one === profile ? typed : one)) });
  };
  return (
    <fieldset className={css.profile} aria-label={several ? `Profile ${number}` : undefined}>
      {several && (
        <div className={css.profileName}>
          Profile {number}
          <Button
            small
            look="ghost"
            icon={<X />}
            aria-label={`Remove profile ${number}`}
            title={`Remove profile ${number}`}
            onClick={onRemove}
          />
        </div>
      )}
      {varying(of.inputs).map((input) => (
        <Field
          key={input.name}
          label={
            <>
              Shapes of <code>{input.name}</code>: least, best, largest
            </>
          }
          name={`Shapes of ${input.name}${several ? ` in profile ${number}` : ""}`}
          value={rangeText(profile, input, of.maxBatchSize)}
          problem={problems[rangeField(profile, input)]}
          onChange={(text) => type(input.name, text)}
        />
      ))}
      {guessed.length > 0 && (
        <p className={css.warn}>
          The shapes of <code>{guessed.join(", ")}</code> are a guess: write those that your requests have.
          The plan takes no shape outside them.
        </p>
      )}
    </fieldset>
  );
}

/** The optimization profiles of a plan. */
export function Profiles(props: Props) {
  const { of, choice, onChange } = props;
  const { profiles } = choice;
  const root = useRef<HTMLDivElement>(null);
  const next = useRef<number>(undefined); // the profile that gets the focus: it came, or the one before it went
  useEffect(() => {
    if (next.current === undefined) return;
    root.current?.querySelectorAll("fieldset")[next.current]?.querySelector("input")?.focus();
    next.current = undefined;
  });
  if (varying(of.inputs).length === 0) return null;
  const add = () => {
    next.current = profiles.length;
    const id = Math.max(...profiles.map((one) => one.id)) + 1;
    onChange({ ...choice, profiles: [...profiles, { id, ranges: profiles.at(-1)?.ranges ?? {} }] });
  };
  const remove = (number: number) => {
    next.current = Math.max(number - 1, 0);
    onChange({ ...choice, profiles: profiles.filter((_, at) => at !== number) });
  };
  const full = profiles.length >= of.mostProfiles;
  return (
    <div ref={root} className={css.profiles}>
      {profiles.map((profile, number) => (
        <One key={profile.id} {...props} profile={profile} number={number} onRemove={() => remove(number)} />
      ))}
      <Button small icon={<Plus />} disabled={full} onClick={add}>
        Add a profile
      </Button>
      {full && <p className={css.small}>A plan is built with at most {of.mostProfiles} profiles.</p>}
      {profiles.length > 1 && (
        <p className={css.small}>
          TensorRT tunes the plan for the best shapes of each profile. Every instance has all profiles, and
          each batch runs with one that takes its shapes.
        </p>
      )}
    </div>
  );
}
