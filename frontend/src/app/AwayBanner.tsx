import { FolderX, Unplug } from "lucide-react";
import { useWorkspace } from "../stores/workspace";
import css from "./AwayBanner.module.css";

/** The repository's folder cannot be read: what is shown is as it was, and goes when the folder is back. */
function FolderAway() {
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

/** Nothing is heard of the app: what is shown is as it last was. */
function AppLost() {
  const lost = useWorkspace(({ connection }) => connection === "lost");
  if (!lost) return null;
  return (
    <section className={css.banner} role="alert" aria-label="The workbench does not answer">
      <Unplug aria-hidden="true" />
      <p className={css.text}>
        <b>The workbench does not answer.</b> The states shown are those last heard; nothing can be loaded,
        sent or saved until it answers. This page tries again by itself.
      </p>
    </section>
  );
}

/** Why what is shown may not be so any more. */
export const AwayBanner = () => (
  <>
    <AppLost />
    <FolderAway />
  </>
);
