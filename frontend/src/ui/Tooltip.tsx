import { Tooltip as Radix } from "radix-ui";
import type { ReactElement, ReactNode } from "react";
import { floating } from "./floating";
import css from "./Tooltip.module.css";

export interface TooltipProps {
  content: ReactNode;
  /** One element that takes a ref and pointer events. */
  children: ReactElement;
  side?: "top" | "bottom" | "left" | "right";
}

/** More about what is under the pointer or has the focus. Without content it is not there at all. */
export function Tooltip({ content, children, side = "bottom" }: TooltipProps) {
  if (!content) return children;
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal container={floating()}>
        <Radix.Content className={css.tip} side={side} sideOffset={5} collisionPadding={8}>
          {content}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** Wraps the whole window once: tooltips after the first come without a wait. */
export function TooltipProvider({ children }: { children: ReactNode }) {
  return (
    <Radix.Provider delayDuration={400} skipDelayDuration={300}>
      {children}
    </Radix.Provider>
  );
}
