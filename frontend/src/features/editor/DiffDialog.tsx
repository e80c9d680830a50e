import { lazy, Suspense } from "react";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";

const DiffView = lazy(() => import("./DiffView").then(({ DiffView }) => ({ default: DiffView })));

/** A way to settle which of the two texts goes on. */
interface Choice {
  label: string;
  run: () => void;
}

interface DiffDialogProps {
  path: string;
  open: boolean;
  onClose: () => void;
  /** Where the other text is: "On disk". */
  other: string;
  disk: string;
  mine: string;
  take: Choice;
  keep: Choice;
}

/** What is on disk, or in another window, beside what is being edited, side by side; either can be chosen. */
export function DiffDialog({ path, open, onClose, other, disk, mine, take, keep }: DiffDialogProps) {
  const settle = ({ run }: Choice) => {
    onClose();
    run();
  };
  return (
    <Dialog
      wide
      title={path}
      open={open}
      onClose={onClose}
      footer={
        <>
          <Button look="ghost" onClick={onClose}>
            Decide later
          </Button>
          <Button needs="app" onClick={() => settle(take)}>
            {take.label}
          </Button>
          <Button needs="app" look="primary" onClick={() => settle(keep)}>
            {keep.label}
          </Button>
        </>
      }
    >
      <Suspense>
        <DiffView before={{ name: other, text: disk }} after={{ name: "Here", text: mine }} />
      </Suspense>
    </Dialog>
  );
}
