import { ChevronDown, Copy, RotateCw } from "lucide-react";
import type { Engine } from "../api/conch_pb";
import { copyText } from "../lib/clipboard";
import { cx } from "../lib/cx";
import { bytes } from "../lib/format";
import { Menu, type MenuItem } from "../ui/Menu";
import { openDialog } from "../window/dialogs";
import { goToRepository } from "../window/place";
import { devicesText, gpusText, gpuText } from "../workspace/gpuText";
import { loadAllModels } from "../workspace/modelActions";
import { selectNothingOpen, useWorkspace } from "../workspace/workspace";
import { engineStatus, restartEngine } from "./engine";
import css from "./TopBar.module.css";

/** More than that are told together: the menu has to fit into a small window. */
const mostGpus = 2;

function gpuFacts({ gpus, gpusLost }: Engine): [string, string][] {
  const each =
    gpus.length > mostGpus
      ? [["GPUs", gpusText(gpus)] as [string, string]]
      : gpus.map((gpu): [string, string] => [`GPU ${gpu.index}`, gpuText(gpu)]);
  const lost: [string, string][] = gpusLost.length > 0 ? [["Lost", `GPU ${gpusLost.join(", ")}`]] : [];
  return [...each, ...lost];
}

export function factsOf(engine: Engine): [string, string][] {
  const { remote } = engine;
  const facts: [string, string][] = [
    ["Server", remote ? `${remote.name}, ${remote.address}` : ""],
    ["Version", remote?.version ?? ""],
    ["Runtime", engine.runtime],
    ["Device", engine.device],
    [remote ? "Memory of its machine" : "Memory", engine.memoryBytes > 0n ? bytes(engine.memoryBytes) : ""],
    ...gpuFacts(engine),
    ["GPU driver", engine.gpuTrouble],
    ["HTTP", engine.httpAddress],
    ["gRPC", engine.grpcAddress],
    ["Metrics", engine.metricsAddress || (remote?.metricsTrouble ?? "")],
    ["Process", engine.pid > 0 ? String(engine.pid) : ""],
    ["Restarts", engine.restarts > 0 ? String(engine.restarts) : ""],
    ["Note", engine.reason],
  ];
  return facts.filter(([, value]) => value !== "");
}

function Facts({ engine }: { engine: Engine }) {
  return (
    <div className={css.facts}>
      {factsOf(engine).map(([name, value]) => (
        <div key={name} style={{ display: "contents" }}>
          <span className={css.fact}>{name}</span>
          <span>{value}</span>
        </div>
      ))}
    </div>
  );
}

function copies(engine: Engine | undefined): MenuItem[] {
  const addresses: [string, string | undefined][] = [
    ["Copy the HTTP address", engine?.httpAddress],
    ["Copy the gRPC address", engine?.grpcAddress],
  ];
  return addresses.flatMap(([label, address]) =>
    address ? [{ label, icon: <Copy />, onSelect: () => void copyText(address) }] : [],
  );
}

/** Which engine, how it is, and where it listens. Without an open repository there is none. */
export function EngineMenu() {
  const engine = useWorkspace((state) => state.engine);
  const connection = useWorkspace((state) => state.connection);
  const nothingOpen = useWorkspace(selectNothingOpen);
  const away = useWorkspace((state) => state.repository?.away ?? false);
  const { word, tone } = engineStatus(engine, connection, away);
  if (nothingOpen && connection === "live") return null;
  const own = engine?.remote ? undefined : engine; // of a server elsewhere the menu has what is known
  const where = [own && devicesText(own.device), own && own.memoryBytes > 0n ? bytes(own.memoryBytes) : ""];
  return (
    <Menu
      align="end"
      heading={engine && <Facts engine={engine} />}
      trigger={
        <button type="button" className={css.engine} title={engine?.reason || undefined}>
          <span className={cx(css.dot, css[tone])} />
          <span className="visually-hidden">Engine: </span>
          <b>{word}</b>
          <span>{connection === "live" && where.filter(Boolean).join(" · ")}</span>
          <ChevronDown aria-hidden="true" />
        </button>
      }
      groups={[
        copies(engine),
        [
          { label: "Load all models", needs: "engine", onSelect: () => void loadAllModels() },
          { label: "Show the log", onSelect: () => goToRepository("log") },
          { label: "Devices…", onSelect: () => openDialog("devices") },
          { label: "ONNX Runtime…", needs: "app", onSelect: () => openDialog("runtimes") },
        ],
        engine
          ? [
              {
                label: engine.remote ? "Ask the server now" : "Restart the engine",
                icon: <RotateCw />,
                needs: "app",
                onSelect: () => void restartEngine(),
              },
            ]
          : [],
      ]}
    />
  );
}
