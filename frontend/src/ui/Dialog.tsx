import { X } from "lucide-react";
import { Dialog as Radix } from "radix-ui";
import { type ReactNode, useId } from "react";
import { cx } from "../lib/cx";
import { Button } from "./Button";
import css from "./Dialog.module.css";
import { floating } from "./floating";
import { useFocusBack } from "./focusBack";

export interface DialogProps {
  title: ReactNode;
  description?: ReactNode;
  open: boolean;
  onClose: () => void;
  /** It is gone and has given the focus back: what takes the focus from there does so now. */
  onClosed?: () => void;
  children: ReactNode;
  /** Buttons, the main one last. */
  footer?: ReactNode;
  wide?: boolean;
  /** Holds a text to be read: what does not fit is scrolled with the keys. */
  reads?: boolean;
}

/** A question or a form over the window. Escape and the scrim close it. */
export function Dialog(props: DialogProps) {
  const { title, description, open, onClose, onClosed, children, footer, wide, reads } = props;
  const focusBack = useFocusBack(open);
  const titled = useId();
  return (
    <Radix.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Radix.Portal container={floating()}>
        <Radix.Overlay className={css.scrim} />
        <Radix.Content
          className={cx(css.dialog, wide && css.wide)}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            focusBack();
            onClosed?.();
          }}
          {...(description ? {} : { "aria-describedby": undefined })}
        >
          <header className={css.head}>
            <Radix.Title className={css.title}>
              <span id={titled}>{title}</span>
            </Radix.Title>
            <Radix.Close asChild>
              <Button small look="ghost" aria-label="Close" icon={<X />} />
            </Radix.Close>
          </header>
          {description && (
            <Radix.Description asChild>
              <div className={css.description}>{description}</div>
            </Radix.Description>
          )}
          <div
            className={css.body}
            {...(reads && { tabIndex: 0, role: "region", "aria-labelledby": titled })}
          >
            {children}
          </div>
          {footer && <footer className={css.foot}>{footer}</footer>}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
