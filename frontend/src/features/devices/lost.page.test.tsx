import { create } from "@bufbuild/protobuf";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test } from "vitest";
import { EngineSchema } from "../../api/conch_pb";
import { openDialog } from "../../window/dialogs";
import { useWorkspace } from "../../workspace/workspace";
import { DevicesDialog } from "./DevicesDialog";

test("a GPU that is lost has its row beside those that are left", async () => {
  const gpus = [{ index: 0, usedBytes: 1e9, totalBytes: 80e9 }];
  useWorkspace.setState({ engine: create(EngineSchema, { gpus, gpusLost: [1], device: "GPU 0" }) });
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  await act(async () => {
    openDialog("devices");
    root.render(
      <QueryClientProvider client={new QueryClient()}>
        <DevicesDialog />
      </QueryClientProvider>,
    );
  });
  expect(document.body.textContent).toMatch(
    /GPU 0.*GPU 1Lost: its driver cannot reach it\. Restart the machine/,
  );
  await act(async () => root.unmount());
});
