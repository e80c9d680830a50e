import { type ComponentProps, forwardRef, type ReactNode } from "react";
import { cx } from "../lib/cx";
import css from "./Button.module.css";

export interface ButtonProps extends ComponentProps<"button"> {
  /** primary: the one main action of a pane. ghost: no border, for bars. danger: cannot be undone. */
  look?: "plain" | "primary" | "ghost" | "danger";
  small?: boolean;
  icon?: ReactNode;
  /** The key that does the same, shown dimmed after the label. */
  shortcut?: string;
}

/** A button with a verb on it. One with only an icon needs an aria-label. */
export const Button = forwardRef<HTMLButtonElement, ButtonProps>(function Button(props, ref) {
  const { look = "plain", small, icon, shortcut, className, children, type = "button", ...rest } = props;
  const iconOnly = children === undefined;
  return (
    <button
      ref={ref}
      type={type}
      className={cx(css.button, css[look], small && css.small, iconOnly && css.iconOnly, className)}
      {...rest}
    >
      {icon}
      {children}
      {shortcut && (
        <span className={css.shortcut} data-shortcut="" aria-hidden="true">
          {shortcut}
        </span>
      )}
    </button>
  );
});
