import { useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { clients } from "../../api/client";
import { Dialog } from "../../ui/Dialog";
import { Named } from "../../ui/Named";
import { Rows } from "../../ui/Rows";
import { closeDialog, useDialogs } from "../../window/dialogs";
import { list as note } from "../../window/toasts";
import { ErrorBox } from "../../workspace/ErrorBox";
import { Build } from "./Build";
import { choosable, notHere } from "./builds";
import { FromFolder } from "./FromFolder";
import { Offer } from "./Offer";
import css from "./RuntimesDialog.module.css";

function Runtimes() {
  const list = useQuery({
    queryKey: ["runtimes"],
    queryFn: ({ signal }) => clients.workspace.listRuntimes({}, { signal }),
    staleTime: 0,
  });
  const [newest, setNewest] = useState("");
  const [name, setName] = useState(""); // of a build that is taken from a folder
  const folder = useRef<HTMLInputElement>(null);
  const [said, setSaid] = useState(""); // what was done last
  const [changes, setChanges] = useState(0); // builds that were chosen or removed
  const line = useRef<HTMLParagraphElement>(null);
  const again = () => void list.refetch();
  const builds = list.data?.here.map(({ name }) => name) ?? [];
  const say = (text: string) => {
    setSaid(text);
    if (text) note({ level: "info", text, names: builds.filter((name) => text.includes(name)) });
    again();
  };
  const done = (installed: string, text: string) => {
    setNewest(installed);
    if (list.data?.here.some((of) => of.name === installed)) folder.current?.focus(); // it has its row already
    say(text);
  };
  const changed = (text: string) => {
    setChanges((count) => count + 1);
    line.current?.focus(); // the button that had the focus goes
    say(text);
  };
  const fromFolder = (of: string) => {
    setName(of);
    folder.current?.focus();
  };
  const unread = list.error && (
    <ErrorBox title="The builds of ONNX Runtime could not be read" error={list.error} onRetry={again} />
  );
  if (!list.data) return unread ?? <p className={css.gpu}>Asking each library what it is…</p>;
  const { here, offered, trouble, gpu } = list.data;
  const left = notHere(offered, here);
  const usable = here.some((of) => choosable(of) && of.error === "");
  const told = here.find((one) => one.used && !choosable(one))?.name;
  return (
    <>
      <p ref={line} tabIndex={-1} role="status" className={css.said}>
        <Named text={said} names={builds} />
      </p>
      <div className={css.body}>
        {/* The rows stay: an install that runs ends with its own. */}
        {unread}
        <p className={css.gpu}>This machine: {gpu}</p>
        <h3>Here</h3>
        {trouble && (
          <p>
            {usable
              ? `None is in use: ${trouble}. Or choose one of these with its Use.`
              : `None can be used: ${trouble}`}
          </p>
        )}
        {told && (
          <p className={css.gpu}>
            {told} is set and names the library that runs. What is installed here is used when Conch is
            started without it.
          </p>
        )}
        <Rows>
          {here.map((of) => (
            <Build
              key={of.name}
              of={of}
              here={here}
              told={told}
              isNew={of.name === newest}
              onChanged={changed}
            />
          ))}
        </Rows>
        {left.length > 0 && (
          <>
            <h3>To install</h3>
            <Rows>
              {left.map((of) => (
                <Offer key={of.name} of={of} onDone={done} onFolder={() => fromFolder(of.name)} />
              ))}
            </Rows>
          </>
        )}
        <h3>To install from a folder</h3>
        <FromFolder changes={changes} name={name} onName={setName} field={folder} onDone={done} />
      </div>
    </>
  );
}

/** The builds of ONNX Runtime: which are here, which one engines use, and what can be installed. */
export function RuntimesDialog() {
  const open = useDialogs((state) => state.open === "runtimes");
  return (
    <Dialog
      title="ONNX Runtime"
      description="The library that runs ONNX models. Builds for a GPU are installed beside the one that comes with Conch."
      open={open}
      onClose={closeDialog}
      wide
    >
      {open && <Runtimes />}
    </Dialog>
  );
}
