import type { ReactNode } from "react";
import { useState } from "react";
import { Button, type ButtonProps } from "./Button";

/** Whether a row asks now; undefined while it has not asked yet. */
export const useAsked = () => useState<boolean>();

interface Props extends Pick<ButtonProps, "disabled" | "title" | "look" | "needs"> {
  /** What the row is about. */
  readonly of: string;
  readonly asked: boolean | undefined;
  readonly onAsk: (asks: boolean) => void;
  /** What begins the question: "Install…". */
  readonly label: string;
  /** What does it: "Download 22.5 MiB". */
  readonly action: ReactNode;
  readonly onYes: () => void;
  /** It cannot be taken back: the first key that is pressed does not do it. */
  readonly careful?: boolean;
}

/** The button of a row that asks before it does something, and the answers. What it would do is said in the row. */
export function Asked({
  of,
  asked,
  onAsk,
  label,
  action,
  onYes,
  careful,
  look,
  disabled,
  title,
  needs = "app",
}: Props) {
  if (!asked)
    return (
      <Button
        key="ask" // not the same button as Cancel
        small
        needs={needs}
        autoFocus={asked === false} // the focus comes back with it
        aria-label={`${label} ${of}`}
        disabled={disabled}
        title={title}
        onClick={() => onAsk(true)}
      >
        {label}
      </Button>
    );
  return (
    <>
      <Button key="cancel" small autoFocus={careful} onClick={() => onAsk(false)}>
        Cancel
      </Button>
      <Button small look={look} needs={needs} autoFocus={!careful} disabled={disabled} onClick={onYes}>
        {action}
      </Button>
    </>
  );
}
