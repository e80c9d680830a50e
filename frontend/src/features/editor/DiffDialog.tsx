import { lazy, Suspense } from "react";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { Named } from "../../ui/Named";
import type { FileId } from "./fileId";

const DiffView = lazy(() => import("./DiffView").then(({ DiffView }) => ({ default: DiffView })));

/** A way to settle which of the two texts goes on. */
interface Choice {
  label: string;
  run: () => void;
}

interface DiffDialogProps {
  file: FileId;
  open: boolean;
  onClose: () => void;
  /** Where the other text is: "On disk". */
  other: string;
  before: string;
  mine: string;
  drop: Choice;
  keep: Choice;
}

/** What is on disk, or in another window, beside what is being edited, side by side; either can be chosen. */
export function DiffDialog({ file, open, onClose, other, before, mine, drop, keep }: DiffDialogProps) {
  const settle = ({ run }: Choice) => {
    onClose();
    run();
  };
  const name = `${file.model}/${file.path}`;
  return (
    <Dialog
      wide
      title={<Named text={name} names={[name]} />}
      open={open}
      onClose={onClose}
      footer={
        <>
          <Button look="ghost" onClick={onClose}>
            Decide later
          </Button>
          <Button needs="app" onClick={() => settle(drop)}>
            {drop.label}
          </Button>
          <Button needs="app" onClick={() => settle(keep)}>
            {keep.label}
          </Button>
        </>
      }
    >
      <Suspense>
        <DiffView before={{ name: other, text: before }} after={{ name: "This text", text: mine }} />
      </Suspense>
    </Dialog>
  );
}
