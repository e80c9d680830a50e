import { Dialog as Radix } from "radix-ui";
import type { ReactNode } from "react";
import css from "./Drawer.module.css";
import { floating } from "./floating";
import { useFocusBack } from "./focusBack";

interface DrawerProps {
  label: string;
  open: boolean;
  onClose: () => void;
  children: ReactNode;
}

/** A pane that lies over the window's left side for a moment, where it has no room beside the page. */
export function Drawer({ label, open, onClose, children }: DrawerProps) {
  const focusBack = useFocusBack(open);
  return (
    <Radix.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Radix.Portal container={floating()}>
        <Radix.Overlay className={css.scrim} />
        <Radix.Content
          className={css.drawer}
          aria-describedby={undefined}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            focusBack();
          }}
        >
          <Radix.Title className="visually-hidden">{label}</Radix.Title>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
