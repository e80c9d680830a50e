import { FileDiff, TriangleAlert } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Banner } from "../../ui/Banner";
import { Button } from "../../ui/Button";
import { DiffDialog } from "./DiffDialog";
import type { Session } from "./session";

/** The other of two texts of a file: where it is, and what is done when it is to go. */
export interface OtherText {
  readonly text: string;
  /** Over the text, beside this one: "On disk". */
  readonly name: string;
  /** What is lost then is in the words: "Overwrite the file". */
  readonly lose: string;
  readonly onLose: () => void;
}

interface Props {
  readonly session: Session;
  /** undefined where there is nothing to compare with: the file is gone. */
  readonly other: OtherText | undefined;
  /** What else can be done than to drop the text in the editor, without another one. */
  readonly instead?: { readonly label: string; readonly run: () => void };
  readonly onDrop: () => void;
  readonly children: ReactNode;
}

/** Two texts of a file met. One of them is lost in the end: the bar and the dialog of differences say so in the same words. */
export function TwoTexts({ session, other, instead, onDrop, children }: Props) {
  const [comparing, setComparing] = useState(false);
  const drop = { label: "Drop this text", run: onDrop };
  const keep = other ? { label: other.lose, run: other.onLose } : instead;
  return (
    <Banner
      icon={<TriangleAlert aria-hidden="true" />}
      actions={
        <>
          {other && (
            <Button small look="ghost" icon={<FileDiff />} onClick={() => setComparing(true)}>
              Show difference
            </Button>
          )}
          {[drop, keep].map(
            (choice) =>
              choice && (
                <Button key={choice.label} small needs="app" onClick={choice.run}>
                  {choice.label}
                </Button>
              ),
          )}
        </>
      }
    >
      {children}
      {other && keep && (
        <DiffDialog
          file={session.file}
          other={other.name}
          open={comparing}
          onClose={() => setComparing(false)}
          before={other.text}
          mine={comparing ? session.text() : ""}
          drop={drop}
          keep={keep}
        />
      )}
    </Banner>
  );
}
