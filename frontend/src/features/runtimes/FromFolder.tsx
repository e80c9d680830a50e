import { type FormEvent, type Ref, useState } from "react";
import { Button } from "../../ui/Button";
import { useRevealed } from "../../ui/revealed";
import { TextField } from "../../ui/TextField";
import { ErrorBox } from "../../workspace/ErrorBox";
import { folderPicker } from "../../workspace/openRepository";
import { Progress } from "./Offer";
import css from "./RuntimesDialog.module.css";
import { useInstall } from "./useInstall";

interface Props {
  /** How many builds have been chosen or removed: what an install before that said is over then. */
  readonly changes: number;
  /** The name of the new build; "" for that of its package. */
  readonly name: string;
  readonly onName: (name: string) => void;
  readonly field: Ref<HTMLInputElement>;
  readonly onDone: (name: string, text: string) => void;
}

/** Installs a build that is on this machine already, without a network. */
export function FromFolder({ changes, name, onName, field, onDone }: Props) {
  const [from, setFrom] = useState("");
  const [begunAt, setBegunAt] = useState(changes);
  const { running, failed, stopped, begin, cancel } = useInstall((installed, text) => {
    if (installed !== "") {
      setFrom("");
      onName("");
    }
    onDone(installed, text);
  });
  const revealed = useRevealed<HTMLDivElement>();
  const pick = folderPicker("Choose the folder with ONNX Runtime");
  const told = !running && begunAt === changes; // nothing was done since
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setBegunAt(changes);
    begin({ name: name.trim(), from: from.trim() });
  };
  return (
    <form onSubmit={submit} className={css.folder} aria-label="From a folder">
      <p className={css.gpu}>
        Without a network: a wheel of onnxruntime, a folder with wheels, or the folder of an unpacked release.
        Conch copies the libraries and opens them once to see whether they work.
      </p>
      <div className={css.line}>
        <TextField
          ref={field}
          aria-label="Folder or wheel"
          placeholder="~/Downloads/onnxruntime-linux-x64-gpu-1.30.0"
          className={css.path}
          value={from}
          onChange={({ target }) => setFrom(target.value)}
        />
        {pick && (
          <Button onClick={() => void pick().then((chosen) => chosen && setFrom(chosen))}>Browse…</Button>
        )}
        <TextField
          aria-label="Name of the build"
          placeholder="Name, or that of its package"
          title="Several builds of one version need names of their own"
          value={name}
          onChange={({ target }) => onName(target.value)}
        />
        {/* Two buttons with keys: were one of them to become the other, the click that cancels would submit the form, which installs again. */}
        {running ? (
          <Button key="cancel" autoFocus onClick={cancel}>
            Cancel
          </Button>
        ) : (
          <Button
            key="install"
            type="submit"
            autoFocus={stopped || failed !== undefined} // the focus comes back with it
            needs="app"
            disabled={from.trim() === ""}
            title={from.trim() === "" ? "Say first where it is: a folder or a wheel" : undefined}
          >
            Install
          </Button>
        )}
      </div>
      {running && (
        <div ref={revealed}>
          <Progress now={running} of="" />
        </div>
      )}
      {stopped && told && <small role="status">Cancelled: nothing was installed.</small>}
      {failed !== undefined && told && (
        <div ref={revealed}>
          <ErrorBox title="Nothing was installed" error={failed} />
        </div>
      )}
    </form>
  );
}
