import { useQuery } from "@tanstack/react-query";
import { Folder, FolderOpen, House, Ship } from "lucide-react";
import type { ReactElement } from "react";
import { clients } from "../api/client";
import { Menu } from "../ui/Menu";
import { openDialog } from "../window/dialogs";
import { goToRepository } from "../window/place";
import { openRepository } from "../workspace/openRepository";
import { useWorkspace } from "../workspace/workspace";

const NONE: readonly string[] = [];

/** The open repository's pages, the ones opened lately, and the way to another. */
export function RepositoryMenu({ trigger }: { trigger: ReactElement }) {
  const roots = useWorkspace((state) => state.repository?.roots ?? NONE);
  const recent = useQuery({
    queryKey: ["recent", roots],
    queryFn: ({ signal }) => clients.workspace.listRecent({}, { signal }),
  });
  const others = recent.data?.repositories.filter(({ path }) => !roots.includes(path)) ?? [];
  return (
    <Menu
      trigger={trigger}
      groups={[
        [
          { label: "Overview", icon: <House />, onSelect: () => goToRepository() },
          {
            label: "Hand over to Triton…",
            icon: <Ship />,
            needs: "app",
            onSelect: () => openDialog("handover"),
          },
        ],
        others.slice(0, 8).map(({ path }) => ({
          label: path,
          icon: <Folder />,
          needs: "app",
          onSelect: () => void openRepository(path),
        })),
        [
          {
            label: "Open another repository…",
            icon: <FolderOpen />,
            needs: "app",
            onSelect: () => openDialog("openRepository"),
          },
        ],
      ]}
    />
  );
}
