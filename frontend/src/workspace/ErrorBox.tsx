import { CircleAlert } from "lucide-react";
import { type ReactNode, useRef } from "react";
import { describeError, type Failure } from "../api/errors";
import { cx } from "../lib/cx";
import { Button } from "../ui/Button";
import { useOverflows } from "../ui/useOverflows";
import { Words } from "../ui/Words";
import { CodeText } from "./CodeText";
import css from "./ErrorBox.module.css";
import { modelsIn } from "./modelsIn";
import { asSentence, useWorkspace } from "./workspace";

export interface ErrorBoxProps {
  /** What did not happen: "Could not send the request". */
  title: string;
  /** The identifiers in its title and its words, beside models that these name. */
  names?: readonly string[];
  /** What was thrown, or a sentence that is already fit for people. */
  error: unknown;
  onRetry?: () => void;
  children?: ReactNode;
  /** What is said instead of the error's text, such as a list. */
  details?: ReactNode;
  /** Whether a long reason is scrolled in a few lines: the box is above a page that people go on with. */
  short?: boolean;
}

/** A failure, shown where it happened: what, why, and what can be done. */
export function ErrorBox({ title, names = [], error, onRetry, children, details, short }: ErrorBoxProps) {
  const failure: Failure =
    typeof error === "string" ? { message: error, retry: false } : describeError(error);
  const message = useWorkspace(() => asSentence(failure.message, names));
  return (
    <div className={css.box} role="alert">
      <CircleAlert className={css.icon} aria-hidden="true" />
      <div className={css.body}>
        <div className={css.title}>
          <Words text={title} names={names} />
        </div>
        {message && (
          <Reason short={short === true}>
            <CodeText text={message} names={[...names, ...modelsIn(message)]} />
          </Reason>
        )}
        {details}
        {failure.advice && (
          <div className={css.advice}>
            <Words text={failure.advice} />
          </div>
        )}
        {failure.said && (
          <details className={css.said}>
            <summary>What {failure.said.library} said</summary>
            {failure.said.text}
          </details>
        )}
        {(onRetry || children) && (
          <div className={css.actions}>
            {onRetry && (
              <Button small needs="app" onClick={onRetry}>
                Try again
              </Button>
            )}
            {children}
          </div>
        )}
      </div>
    </div>
  );
}

function Reason({ short, children }: { readonly short: boolean; readonly children: ReactNode }) {
  const box = useRef<HTMLElement>(null);
  const scrolls = useOverflows(box) && short;
  return (
    <section
      ref={box}
      className={cx(css.message, short && css.short)}
      aria-label={scrolls ? "Reason" : undefined}
      tabIndex={scrolls ? 0 : undefined}
    >
      {children}
    </section>
  );
}
