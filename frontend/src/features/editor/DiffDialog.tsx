import { useMemo } from "react";
import { cx } from "../../lib/cx";
import { type DiffLine, lineDiff } from "../../lib/lineDiff";
import { Dialog } from "../../ui/Dialog";
import css from "./DiffDialog.module.css";

const signs = { same: " ", added: "+", removed: "−" };
const words = { same: undefined, added: "yours", removed: "on disk" };

interface DiffDialogProps {
  path: string;
  open: boolean;
  onClose: () => void;
  disk: string;
  mine: string;
}

/** The row's place is its identity: a diff does not change while it is shown. */
const keyed = (lines: DiffLine[]) => lines.map((line, index) => ({ ...line, key: index }));

/** What is on disk beside what is being edited, line by line. */
export function DiffDialog({ path, open, onClose, disk, mine }: DiffDialogProps) {
  const lines = useMemo(() => (open ? keyed(lineDiff(disk, mine)) : []), [open, disk, mine]);
  return (
    <Dialog wide title={path} description="− on disk, + in the editor" open={open} onClose={onClose}>
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
