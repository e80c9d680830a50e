import { KeyRound } from "lucide-react";
import { type FormEvent, useState } from "react";
import { enterToken } from "../../api/access";
import { Button } from "../../ui/Button";
import { TextField } from "../../ui/TextField";
import { ErrorBox } from "../../workspace/ErrorBox";
import { useWorkspace } from "../../workspace/workspace";
import css from "./welcome.module.css";

/** What the window shows while the server wants another token: why, and how to go on. */
export function TokenPage() {
  const [text, setText] = useState("");
  const [refused, setRefused] = useState<string>();
  const [busy, setBusy] = useState(false);
  const wasHere = useWorkspace((state) => state.seq > 0n);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setRefused(await enterToken(text));
    setBusy(false);
  };
  return (
    <main className={css.page}>
      <form className={css.card} onSubmit={(event) => void submit(event)} aria-label="Token">
        <div>
          <KeyRound className={css.key} aria-hidden="true" />
          <h1>This page needs a token</h1>
        </div>
        <p className={css.trouble} role="status">
          The workbench answers, but the token of this page is missing or does not fit: it was changed with{" "}
          <code>--new-token</code>, or the page was opened without it.
          {wasHere && " Texts that are not saved are still here."}
        </p>
        <p className={css.trouble}>
          Paste the address that <code>conch web</code> printed when it started. To see it again, run{" "}
          <code>conch web</code> with the same repository in a terminal.
        </p>
        <div className={css.line}>
          <TextField
            autoFocus
            aria-label="Address or token"
            placeholder={`${window.location.origin}/#token=…`}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
          <Button look="primary" type="submit" disabled={busy || text.trim() === ""}>
            Continue
          </Button>
        </div>
        {refused && <ErrorBox title="This token does not open the page" error={refused} />}
      </form>
    </main>
  );
}
