import { FileInput } from "lucide-react";
import { Banner } from "../ui/Banner";
import { Button } from "../ui/Button";
import { reloadModel, useModelActions } from "./modelActions";
import { useModelSummary } from "./workspace";

/** Says that what runs is not what the file says, since a client brought its own config, and offers the way back. */
export function ClientConfig({ model, children }: { model: string; children: string }) {
  const fromClient = useModelSummary(model)?.fromClient ?? false;
  const pending = useModelActions((state) => state.pending[model]);
  if (!fromClient) return null;
  return (
    <Banner
      tone="note"
      icon={<FileInput aria-hidden="true" />}
      label="The running config came from a client"
      actions={
        <Button small needs="engine" disabled={pending !== undefined} onClick={() => void reloadModel(model)}>
          Reload from the file
        </Button>
      }
    >
      {children}
    </Banner>
  );
}
