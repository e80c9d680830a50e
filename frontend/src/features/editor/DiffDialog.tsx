import { useMemo } from "react";
import { cx } from "../../lib/cx";
import { type DiffLine, lineDiff } from "../../lib/lineDiff";
import { Dialog } from "../../ui/Dialog";
import css from "./DiffDialog.module.css";

const signs = { same: " ", added: "+", removed: "−" };

interface DiffDialogProps {
  path: string;
  open: boolean;
  onClose: () => void;
  /** Where the other text is: "on disk". */
  other: string;
  disk: string;
  mine: string;
}

/** The row's place is its identity: a diff does not change while it is shown. */
const keyed = (lines: DiffLine[]) => lines.map((line, index) => ({ ...line, key: index }));

/** What is on disk, or in another window, beside what is being edited, line by line. */
export function DiffDialog({ path, open, onClose, other, disk, mine }: DiffDialogProps) {
  const lines = useMemo(() => (open ? keyed(lineDiff(disk, mine)) : []), [open, disk, mine]);
  const words = { same: undefined, added: "yours", removed: other };
  return (
    <Dialog wide title={path} description={`− ${other}, + here`} open={open} onClose={onClose}>
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
