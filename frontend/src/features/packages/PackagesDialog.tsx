import { useMutation, useQuery } from "@tanstack/react-query";
import { clients } from "../../api/client";
import type { Environment } from "../../api/conch_pb";
import { bytes, moment } from "../../lib/format";
import { Asked, useAsked } from "../../ui/Asked";
import { Dialog } from "../../ui/Dialog";
import { Row, Rows } from "../../ui/Rows";
import { closeDialog, useDialogs } from "../../window/dialogs";
import { toastError } from "../../window/toasts";
import { ErrorBox } from "../../workspace/ErrorBox";
import css from "./PackagesDialog.module.css";

function Installed({ of, onRemoved }: { of: Environment; onRemoved: () => void }) {
  const [asked, ask] = useAsked();
  const removal = useMutation({
    mutationFn: () => clients.workspace.removeEnvironment({ id: of.id }),
    onSuccess: onRemoved,
    onError: (error) => {
      ask(false);
      toastError(`The packages for ${of.madeFor} were not removed`, error, { names: [of.madeFor] });
    },
  });
  return (
    <Row
      what={
        <>
          <strong>For {of.madeFor}</strong>
          <code className={css.packages} title={of.packages.join("\n")}>
            {of.packages.join(", ")}
          </code>
          <small title={of.dir}>
            Python {of.python} · {bytes(of.bytes)} · {of.inUse ? "in use" : `last used ${moment(of.used)}`}
          </small>
          {asked && (
            <small role="status">
              Removing them frees {bytes(of.bytes)}. What needs them offers to install them again.
            </small>
          )}
        </>
      }
    >
      <Asked
        careful
        of={`the packages for ${of.madeFor}`}
        look="danger"
        needs="engine"
        asked={asked}
        onAsk={ask}
        label="Remove…"
        action="Remove"
        disabled={of.inUse || removal.isPending}
        title={of.inUse ? "A loaded model uses them: unload it first" : of.dir}
        onYes={() => removal.mutate()}
      />
    </Row>
  );
}

function Packages() {
  const list = useQuery({
    queryKey: ["environments"],
    queryFn: ({ signal }) => clients.workspace.listEnvironments({}, { signal }),
    staleTime: 0,
  });
  if (list.error) {
    return (
      <ErrorBox
        title="What is installed could not be read"
        error={list.error}
        onRetry={() => void list.refetch()}
      />
    );
  }
  if (!list.data) return null;
  const { environments } = list.data;
  if (environments.length === 0) return <p className={css.none}>Nothing is installed.</p>;
  return (
    <div className={css.body}>
      <Rows>
        {environments.map((of) => (
          <Installed key={of.dir} of={of} onRemoved={() => void list.refetch()} />
        ))}
      </Rows>
    </div>
  );
}

/** The environments that Conch has installed for models and backends, each with its removal. */
export function PackagesDialog() {
  const open = useDialogs((state) => state.open === "packages");
  return (
    <Dialog
      title="Installed Python packages"
      description="Conch keeps them apart from other programs. What nobody has used for 60 days is removed when something new is installed."
      open={open}
      onClose={closeDialog}
      wide
    >
      {open && <Packages />}
    </Dialog>
  );
}
