import { useQuery } from "@tanstack/react-query";
import { clients } from "../api/client";
import { Engine_State, type GetModelResponse } from "../api/conch_pb";
import { keys } from "../api/queries";
import { useMachine } from "./machine";
import { type Room, roomFor } from "./room";
import { useWorkspace } from "./workspace";

/** Where a model that is not loaded would find room; undefined while the model itself is not known. */
export function useRoom(details: GetModelResponse | undefined): Room | undefined {
  const engine = useWorkspace((state) => state.engine);
  const machine = useMachine();
  const name = details?.summary?.name ?? "";
  const answers =
    engine !== undefined && (engine.remote !== undefined || engine.state === Engine_State.READY);
  const { data } = useQuery({
    queryKey: [...keys.model(name), "devices", ...machine],
    queryFn: ({ signal }) => clients.models.findDevices({ name }, { signal }),
    enabled: answers && name !== "",
    placeholderData: (last) => last,
  });
  return details && roomFor(details, engine, data);
}
