import { type ComponentProps, forwardRef, type ReactNode } from "react";
import { cx } from "../lib/cx";
import css from "./Button.module.css";
import { type Needs, useWhyOff } from "./reach";

export interface ButtonProps extends ComponentProps<"button"> {
  /** primary: the one main action of a pane. ghost: no border, for bars. danger: cannot be undone. */
  look?: "plain" | "primary" | "ghost" | "danger";
  small?: boolean;
  icon?: ReactNode;
  /** What has to answer for it; it is off meanwhile, and its tooltip says why. */
  needs?: Needs;
  /** The key that does the same, shown dimmed after the label. */
  shortcut?: string;
}

/** A button with a verb on it. One with only an icon needs an aria-label. */
export const Button = forwardRef<HTMLButtonElement, ButtonProps>(function Button(props, ref) {
  const {
    look = "plain",
    small,
    icon,
    shortcut,
    needs,
    className,
    children,
    type = "button",
    ...rest
  } = props;
  const off = useWhyOff(needs);
  const iconOnly = children === undefined;
  return (
    <button
      ref={ref}
      type={type}
      className={cx(css.button, css[look], small && css.small, iconOnly && css.iconOnly, className)}
      {...rest}
      disabled={rest.disabled || off !== undefined}
      title={off ?? rest.title}
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
