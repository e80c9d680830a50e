import { useMemo } from "react";
import { cx } from "../../lib/cx";
import { type DiffLine, lineDiff } from "../../lib/lineDiff";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import css from "./DiffDialog.module.css";

const signs = { same: " ", added: "+", removed: "−" };

/** A way to settle which of the two texts goes on. */
interface Choice {
  label: string;
  run: () => void;
}

interface DiffDialogProps {
  path: string;
  open: boolean;
  onClose: () => void;
  /** Where the other text is: "on disk". */
  other: string;
  disk: string;
  mine: string;
  take: Choice;
  keep: Choice;
}

/** The row's place is its identity: a diff does not change while it is shown. */
const keyed = (lines: DiffLine[]) => lines.map((line, index) => ({ ...line, key: index }));

/** What is on disk, or in another window, beside what is being edited, line by line; either can be chosen. */
export function DiffDialog({ path, open, onClose, other, disk, mine, take, keep }: DiffDialogProps) {
  const lines = useMemo(() => (open ? keyed(lineDiff(disk, mine)) : []), [open, disk, mine]);
  const words = { same: undefined, added: "yours", removed: other };
  const settle = ({ run }: Choice) => {
    onClose();
    run();
  };
  return (
    <Dialog
      wide
      title={path}
      description={`− ${other}, + here`}
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
      <div className={css.diff}>
        {lines.map(({ key, kind, text }) => (
          <div key={key} className={cx(css.line, css[kind])} title={words[kind]}>
            <span className={css.sign}>{signs[kind]}</span>
            <span>{text || " "}</span>
          </div>
        ))}
      </div>
    </Dialog>
  );
}
