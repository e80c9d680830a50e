import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Boxes, Folder } from "lucide-react";
import { clients } from "../../api/client";
import css from "./welcome.module.css";

/** The folders that a path can go on with while it is typed. Those that are repositories are marked. */
export function Folders({ path, onChoose }: { path: string; onChoose: (path: string) => void }) {
  const { data } = useQuery({
    queryKey: ["folders", path],
    queryFn: ({ signal }) => clients.workspace.listFolders({ path }, { signal }),
    enabled: path.startsWith("/") || path.startsWith("~") || /^[A-Za-z]:[\\/]/.test(path),
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
  if (!data || path === "" || data.folders.length === 0) return null;
  const separator = data.parent.includes("\\") ? "\\" : "/";
  const parent = data.parent.endsWith(separator) ? data.parent : data.parent + separator;
  return (
    <ul className={css.folders} aria-label="Folders">
      {data.folders.map(({ name, repository }) => (
        <li key={name}>
          <button
            type="button"
            onClick={() => onChoose(parent + name + (repository ? "" : separator))}
            aria-label={repository ? `${name}, a repository` : name}
          >
            {repository ? <Boxes className={css.repository} /> : <Folder />}
            {name}
            {repository && <span>repository</span>}
          </button>
        </li>
      ))}
      {data.more && <li className={css.more}>Keep typing to narrow the list</li>}
    </ul>
  );
}
