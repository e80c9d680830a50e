import { FolderX } from "lucide-react";
import { useWorkspace } from "../stores/workspace";
import css from "./AwayBanner.module.css";

/** The repository's folder cannot be read: what is shown is as it was, and goes when the folder is back. */
export function AwayBanner() {
  const why = useWorkspace(({ repository }) => (repository?.away ? repository.trouble : ""));
  if (why === "") return null;
  return (
    <section className={css.banner} role="alert" aria-label="The repository is away">
      <FolderX aria-hidden="true" />
      <p className={css.text}>
        <b>The repository is away.</b> {why} Files cannot be saved until it is back.
      </p>
    </section>
  );
}
