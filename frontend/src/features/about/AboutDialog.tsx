import { useQuery } from "@tanstack/react-query";
import { clients } from "../../api/client";
import { Dialog } from "../../ui/Dialog";
import { Logo } from "../../ui/Logo";
import { closeDialog, useDialogs } from "../../window/dialogs";
import { ErrorBox } from "../../workspace/ErrorBox";
import css from "./AboutDialog.module.css";

/** What the program is, and the licences of the works of others that it contains. */
function About() {
  const about = useQuery({
    queryKey: ["about"],
    queryFn: ({ signal }) => clients.workspace.getAbout({}, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (about.error) {
    return (
      <ErrorBox
        title="The licences could not be read"
        error={about.error}
        onRetry={() => void about.refetch()}
      />
    );
  }
  if (!about.data) return null;
  const { version, license, notices } = about.data;
  return (
    <>
      <div className={css.head}>
        <Logo />
        <div>
          <strong>Conch {version}</strong>
          <p>A workbench for Triton model repositories, under the licence {license}.</p>
        </div>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keys scroll it, which needs the focus */}
      <section className={css.notices} aria-label="Licences" tabIndex={0}>
        <pre>{notices}</pre>
      </section>
    </>
  );
}

export function AboutDialog() {
  const open = useDialogs((state) => state.open === "about");
  return (
    <Dialog title="About Conch" open={open} onClose={closeDialog} wide>
      {open && <About />}
    </Dialog>
  );
}
