import { useQuery } from "@tanstack/react-query";
import { ChevronDown, Pencil, Plus, Server as ServerIcon } from "lucide-react";
import { clients } from "../api/client";
import { cx } from "../lib/cx";
import { Menu, type MenuItem } from "../ui/Menu";
import { MiddleTruncate } from "../ui/MiddleTruncate";
import { openDialog } from "../window/dialogs";
import { goToRepository } from "../window/place";
import { attachServer, useRemote } from "../workspace/remote";
import { useWorkspace } from "../workspace/workspace";
import css from "./TopBar.module.css";

/** Where what is shown serves: the switch between this machine and servers elsewhere. */
export function ServerMenu() {
  const remote = useRemote();
  const live = useWorkspace((state) => state.connection === "live");
  const beside = useWorkspace((state) => (state.repository?.roots.length ?? 0) > 0);
  const { data } = useQuery({
    queryKey: ["servers"],
    queryFn: ({ signal }) => clients.servers.listServers({}, { signal }),
    enabled: live,
  });
  const servers = data?.servers ?? [];
  const shown = servers.find(({ name }) => name === remote?.name);
  const edit: MenuItem[] = shown?.kept
    ? [
        {
          label: `Edit ${shown.name}…`,
          icon: <Pencil />,
          needs: "app",
          onSelect: () => openDialog("server", shown.name),
        },
      ]
    : [];
  const differences: MenuItem[] =
    remote && beside
      ? [{ label: "What a deployment would change", onSelect: () => goToRepository("differences") }]
      : [];
  return (
    <Menu
      align="end"
      trigger={
        <button type="button" className={cx(css.engine, css.place)} title={remote?.address}>
          <ServerIcon aria-hidden="true" />
          <span className="visually-hidden">Server: </span>
          <b className={css.server}>{remote ? <MiddleTruncate text={remote.name} /> : "This machine"}</b>
          <ChevronDown aria-hidden="true" />
        </button>
      }
      groups={[
        [
          {
            label: "This machine",
            checked: !remote,
            needs: "app",
            onSelect: () => void attachServer(""),
          },
          ...servers.map(
            ({ name, address }): MenuItem => ({
              label: name,
              note: address,
              checked: remote?.name === name,
              needs: "app",
              onSelect: () => void attachServer(name),
            }),
          ),
        ],
        differences,
        [
          ...edit,
          { label: "Add a server…", icon: <Plus />, needs: "app", onSelect: () => openDialog("server", "") },
        ],
      ]}
    />
  );
}
