import { useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { clients } from "../../api/client";
import { queryClient } from "../../api/queries";
import { moveServer } from "../../requests/tries";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { Waiting } from "../../ui/Spinner";
import { closeDialog, useDialogs } from "../../window/dialogs";
import { toast, toastError } from "../../window/toasts";
import { ErrorBox } from "../../workspace/ErrorBox";
import { attachServer, useRemote } from "../../workspace/remote";
import { Fields } from "./Fields";
import { emptyForm, formOf, messageOf, type ServerForm } from "./form";
import css from "./servers.module.css";

/** A new server, or with its name one that is kept. */
export function ServerDialog() {
  const name = useDialogs(({ open, model }) => (open === "server" ? (model ?? "") : undefined));
  const { data } = useQuery({
    queryKey: ["servers"],
    queryFn: ({ signal }) => clients.servers.listServers({}, { signal }),
  });
  if (name === undefined || !data) return null;
  const server = data.servers.find((one) => one.name === name);
  return <Form key={name} before={name} first={server ? formOf(server) : emptyForm} secrets={data.secrets} />;
}

/** Says that a server was removed. It can be put back for as long as it is told, with the values of its headers. */
function tellRemoved(server: ServerForm, wasShown: boolean): void {
  const { name } = server;
  const putBack = async () => {
    const told = `${name} was not put back`;
    try {
      const { servers } = await clients.servers.listServers({});
      if (servers.some((other) => other.name === name))
        return toastError(told, new Error("Another server has this name now"), { names: [name] });
      await clients.servers.saveServer({ server: messageOf(server), replaces: name });
      await queryClient.invalidateQueries({ queryKey: ["servers"] });
      if (wasShown) await attachServer(name);
      toast({ level: "info", text: `${name} was put back`, names: [name] });
    } catch (error) {
      const again = { label: "Try again", run: () => void putBack() };
      toastError(told, error, { action: again, names: [name] });
    }
  };
  const action = { label: "Undo", run: () => void putBack() };
  toast({ level: "info", text: `${name} was removed`, names: [name], action });
}

type FormProps = { before: string; first: ServerForm; secrets: string };

function Form({ before, first, secrets }: FormProps) {
  const [form, setForm] = useState(first);
  const shown = useRemote()?.name;
  const { doing, said, error, run } = useAsked(form);
  const sent = () => ({ server: messageOf(form), replaces: before });
  const test = () =>
    run("Asking the server", async () => (await clients.servers.testServer(sent())).text, form);
  const save = () =>
    run("Saving", async () => {
      await clients.servers.saveServer(sent());
      await queryClient.invalidateQueries({ queryKey: ["servers"] });
      closeDialog();
      const name = form.name.trim();
      if (before !== "" && before !== name) moveServer(before, name);
      await attachServer(name);
      return "";
    });
  const remove = () =>
    run("Removing", async () => {
      await clients.servers.removeServer({ name: before });
      await queryClient.invalidateQueries({ queryKey: ["servers"] });
      closeDialog();
      tellRemoved(first, shown === before);
      return "";
    });
  return (
    <Dialog
      open
      wide
      title={before === "" ? "Add a server" : `Server ${before}`}
      description="A running Triton, reached by its gRPC port, or by HTTP. Conch asks it once a second what it serves, and changes nothing there by itself."
      onClose={closeDialog}
      footer={
        <>
          {before !== "" && (
            <Button onClick={remove} disabled={doing !== ""}>
              Remove
            </Button>
          )}
          <Button onClick={test} disabled={doing !== ""}>
            Test
          </Button>
          <Button look="primary" onClick={save} disabled={doing !== ""}>
            Save and show
          </Button>
        </>
      }
    >
      <Fields form={form} secrets={secrets} onChange={setForm} />
      <div className={css.said} aria-live="polite">
        {doing !== "" && <Waiting>{doing}</Waiting>}
        {said !== "" && <p>{said}</p>}
        {error !== undefined && <ErrorBox title="The server cannot be shown" error={error} />}
      </div>
    </Dialog>
  );
}

type State = { doing: string; said: string; error?: unknown; tested?: ServerForm };

/** One question to the program at a time, and what came of it. What is told of fields that were tested ends when they change. */
function useAsked(form: ServerForm) {
  const [state, setState] = useState<State>({ doing: "", said: "" });
  const newest = useRef(0);
  const run = async (doing: string, ask: () => Promise<string>, tested?: ServerForm) => {
    const number = ++newest.current;
    const tell = (told: State) =>
      number === newest.current && setState({ ...told, ...(tested && { tested }) });
    tell({ doing, said: "" });
    try {
      tell({ doing: "", said: await ask() });
    } catch (error) {
      tell({ doing: "", said: "", error });
    }
  };
  const told = state.tested && state.tested !== form ? { doing: "", said: "", error: undefined } : state;
  return {
    ...told,
    run: (doing: string, ask: () => Promise<string>, tested?: ServerForm) => void run(doing, ask, tested),
  };
}
