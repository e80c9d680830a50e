import { type FormEvent, type ReactNode, useId, useState } from "react";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { Named } from "../../ui/Named";
import { TextField } from "../../ui/TextField";
import { ErrorBox } from "../../workspace/ErrorBox";
import css from "./files.module.css";

interface AskDialogProps {
  title: string;
  /** What is asked for. */
  label: string;
  /** The identifiers in the label. */
  names?: readonly string[];
  value: string;
  onChange: (value: string) => void;
  /** Why the value cannot be taken, shown while it is typed. */
  problem: string | undefined;
  /** Nothing is made of it yet, and nothing is wrong. */
  unfinished: boolean;
  action: string;
  failed: string;
  run: () => Promise<void>;
  onClose: () => void;
  children: ReactNode;
}

/** Asks for a name, and makes something of that name. What goes wrong is said in it, and the name stays. */
export function AskDialog(props: AskDialogProps) {
  const {
    title,
    label,
    names = [],
    value,
    onChange,
    problem,
    unfinished,
    action,
    failed,
    run,
    onClose,
    children,
  } = props;
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const form = useId();
  const off = busy || unfinished || problem !== undefined;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (off) return;
    setBusy(true);
    setError(undefined);
    try {
      await run();
    } catch (refused) {
      setError(refused);
      setBusy(false);
    }
  };
  return (
    <Dialog
      open
      title={title}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" form={form} needs="app" disabled={off}>
            {action}
          </Button>
        </>
      }
    >
      <form id={form} className={css.ask} onSubmit={(event) => void submit(event)}>
        <label className={css.field} htmlFor={`${form}-value`}>
          <Named text={label} names={names} />
          <TextField
            id={`${form}-value`}
            autoFocus
            value={value}
            invalid={problem !== undefined}
            onChange={(event) => {
              setError(undefined);
              onChange(event.target.value);
            }}
          />
        </label>
        <p className={css.problem} role="status">
          {problem}
        </p>
        {children}
        {error !== undefined && <ErrorBox title={failed} error={error} />}
      </form>
    </Dialog>
  );
}
