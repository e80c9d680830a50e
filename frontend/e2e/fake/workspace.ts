import { create } from "@bufbuild/protobuf";
import type { ConnectRouter, ServiceImpl } from "@connectrpc/connect";
import { WorkspaceService, type WorkspaceUpdate, WorkspaceUpdateSchema } from "../../src/api/conch_pb";
import { diagnosticsOf, textOf } from "./editor";
import type { World } from "./world";

/** Turns published updates into an endless stream with heartbeats. */
async function* updates(world: World, signal: AbortSignal): AsyncGenerator<WorkspaceUpdate> {
  const queue: Partial<WorkspaceUpdate>[] = [];
  let wake = () => {};
  const listener = (update: Partial<WorkspaceUpdate>) => {
    queue.push(update);
    wake();
  };
  world.listeners.add(listener);
  try {
    yield create(WorkspaceUpdateSchema, {
      seq: world.seq,
      reset: true,
      repository: world.repository,
      engine: world.engine,
      models: [...world.models.values()],
      notices: world.notices,
    });
    while (!signal.aborted) {
      const next = queue.shift();
      if (next) yield create(WorkspaceUpdateSchema, next as object);
      else if (await beat((resolve) => (wake = resolve)))
        yield create(WorkspaceUpdateSchema, { heartbeat: true });
    }
  } finally {
    world.listeners.delete(listener);
  }
}

/** Resolves with true after 3 seconds of silence, with false when woken. */
function beat(register: (wake: () => void) => void): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(true), 3000);
    register(() => {
      clearTimeout(timer);
      resolve(false);
    });
  });
}

export function registerWorkspace(router: ConnectRouter, world: World): void {
  const settings: Record<string, string> = {};
  let place = "";
  const all: ServiceImpl<typeof WorkspaceService> = {
    watch: (_, context) => updates(world, context.signal),
    openRepository: () => ({}),
    listRecent: () => ({
      repositories: [
        { path: "/home/eva/examples/repository", opened: BigInt(Date.now()) },
        { path: "/srv/models/production", opened: BigInt(Date.now() - 86_400_000 * 3) },
      ],
    }),
    listProblems: () => ({
      seq: world.seq,
      files: [...world.models.values()]
        .map((model) => ({
          model: model.name,
          path: "config.pbtxt",
          diagnostics: diagnosticsOf(textOf(world, model.name), model.name),
        }))
        .filter((file) => file.diagnostics.length > 0),
    }),
    listLog: ({ model }) => ({
      lines: Array.from({ length: 400 }, (_, i) => ({
        time: BigInt(Date.now() - (400 - i) * 1700),
        level: i % 41 === 0 ? "error" : i % 17 === 0 ? "warning" : "info",
        model: model || ([...world.models.keys()][i % Math.min(8, world.models.size)] ?? ""),
        text:
          i % 41 === 0
            ? "failed to load version 2: model 'digits', tensor 'image': the model expects 2 dimensions (shape [-1,64]) but the model configuration specifies 2 dimensions"
            : i % 29 === 3
              ? `<img src=x onerror=alert(1)> ${"a line of a program that never ends ".repeat(12)}`
              : `request ${i} done in 0.${i % 9}1 ms`,
      })),
    }),
    getAbout: () => ({
      version: "0.1.0 (1a2b3c4d)",
      license: "Apache-2.0",
      notices: "somebody/else v1.0.0   MIT\n",
    }),
    getSettings: () => ({ values: settings }),
    setSettings: ({ values }) => {
      Object.assign(settings, values);
      return {};
    },
    openExamples: () => ({}),
    listFolders: () => ({
      parent: "/home/eva",
      folders: [
        { name: "examples", repository: false },
        { name: "models", repository: true },
        { name: "名前の長いフォルダー", repository: true },
      ],
    }),
    getPlace: () => ({ roots: world.repository.roots, place }),
    keepPlace: (kept) => {
      place = kept.place;
      return {};
    },
    setAccess: () => ({}),
    restartEngine: () => ({}),
    listEnvironments: () => ({ environments: [] }),
    removeEnvironment: () => ({}),
    listRuntimes: () => ({}),
    async *installRuntime() {},
    chooseRuntime: () => ({}),
    removeRuntime: () => ({}),
    noteShown: () => ({}),
  };
  router.service(WorkspaceService, all);
}
