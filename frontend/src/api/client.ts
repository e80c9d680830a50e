import { createClient } from "@connectrpc/connect";
import {
  ConversionService,
  EditorService,
  HandoverService,
  MetricsService,
  ModelService,
  ServerService,
  TryService,
  WorkspaceService,
} from "./conch_pb";
import { createTransport } from "./transport";

const transport = createTransport();

/** Typed clients of the workbench's services, one for each. */
export const clients = {
  workspace: createClient(WorkspaceService, transport),
  conversions: createClient(ConversionService, transport),
  handover: createClient(HandoverService, transport),
  models: createClient(ModelService, transport),
  editor: createClient(EditorService, transport),
  tryIt: createClient(TryService, transport),
  metrics: createClient(MetricsService, transport),
  servers: createClient(ServerService, transport),
};

export type Clients = typeof clients;
