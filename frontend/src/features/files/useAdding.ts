import { Code, ConnectError } from "@connectrpc/connect";
import { useEffect, useRef, useState } from "react";
import { clients } from "../../api/client";
import { type Toast, toast } from "../../window/toasts";
import { discardUpload, sendFiles } from "../../workspace/sending";
import { openedRepository } from "../../workspace/workspace";

export interface Adding {
  /** How many bytes were sent; undefined while nothing is. */
  sent: number | undefined;
  /**
   * Adds the files to a folder of the model, under these names, and says so, with what can be done then. It resolves with false where
   * nobody waits any more.
   */
  add: (folder: string, names: readonly string[], action?: Toast["action"]) => Promise<boolean>;
}

interface Sent {
  files: readonly File[];
  names: readonly string[];
}

/** Whether all of this was sent already, under these names. */
const isSent = (sent: Sent | undefined, { files, names }: Sent): boolean =>
  sent?.files === files && names.every((name, i) => name === sent.names[i]);

/**
 * Sends files of this machine and adds them to a model. After a refusal they are not sent again. What was sent is discarded with the
 * dialog, which also stops the program where it still copies them.
 */
export function useAdding(model: string, files: readonly File[]): Adding {
  const [sent, setSent] = useState<number>();
  const wanted = useRef(true);
  const upload = useRef("");
  const whole = useRef<Sent>(undefined);
  const drop = () => {
    if (upload.current !== "") discardUpload(upload.current);
    upload.current = "";
    whole.current = undefined;
  };
  useEffect(() => {
    wanted.current = true;
    return () => {
      wanted.current = false;
      if (upload.current !== "") discardUpload(upload.current);
      upload.current = "";
    };
  }, []);
  const send = async (names: readonly string[]) => {
    if (isSent(whole.current, { files, names })) return true;
    drop();
    const placed = files.map((file, i) => ({ path: names[i] ?? file.name, file }));
    const begun = (id: string) => {
      upload.current = id;
    };
    const sending = { folder: "", wanted: () => wanted.current, begun, sent: setSent };
    if (!(await sendFiles(placed, sending))) return false;
    whole.current = { files, names };
    return true;
  };
  const add: Adding["add"] = async (folder, names, action) => {
    try {
      if (!(await send(names))) return false;
      setSent(files.reduce((sum, { size }) => sum + size, 0)); // also where they were sent before
      const asked = { upload: upload.current, model, folder, repository: openedRepository() };
      const { paths } = await clients.models.addFiles(asked);
      upload.current = "";
      const added = paths.map((path) => `${model}/${path}`);
      toast({ level: "info", text: `${added.join(", ")} added`, names: added, ...(action && { action }) });
      return true;
    } catch (error) {
      const isGone = ConnectError.from(error).code === Code.NotFound;
      if (whole.current === undefined || isGone) drop();
      throw error;
    } finally {
      setSent(undefined);
    }
  };
  return { sent, add };
}
