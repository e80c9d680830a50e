import { useQuery } from "@tanstack/react-query";
import { Copy } from "lucide-react";
import { useState } from "react";
import { clients } from "../api/client";
import type { DraftInfo } from "../api/conch_pb";
import { copyText } from "../lib/clipboard";
import { Button } from "../ui/Button";
import { Spinner } from "../ui/Spinner";
import { toastError } from "../window/toasts";
import { fileOf } from "../workspace/drafts";
import { ErrorBox } from "../workspace/ErrorBox";
import { openedRepository } from "../workspace/workspace";
import css from "./DraftText.module.css";

/** An unsaved text, to be read and copied where there is no editor for it: its model is gone. */
export function DraftText({ draft }: { readonly draft: DraftInfo }) {
  const { model, path, version } = draft;
  const { data, error } = useQuery({
    queryKey: ["draft", openedRepository(), model, path, String(version)],
    queryFn: ({ signal }) =>
      clients.editor.readDraft({ repository: openedRepository(), model, path }, { signal }),
  });
  if (error)
    return (
      <ErrorBox
        title={`The unsaved text of ${fileOf(draft)} could not be read`}
        names={[fileOf(draft)]}
        error={error}
      />
    );
  if (!data) return <Spinner label="Reading the unsaved text" />;
  return (
    <div className={css.box}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by key */}
      <section className={css.text} tabIndex={0} aria-label={`Unsaved text of ${fileOf(draft)}`}>
        <pre>{data.draft?.text}</pre>
      </section>
      <CopyDraft name={fileOf(draft)} text={data.draft?.text ?? ""} />
    </div>
  );
}

function CopyDraft({ name, text }: { readonly name: string; readonly text: string }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    try {
      await copyText(text);
      setCopied(true);
    } catch (error) {
      toastError(`The text of ${name} was not copied`, error, { names: [name] });
    }
  };
  return (
    <Button
      small
      icon={<Copy />}
      className={css.copy}
      aria-label={`Copy ${name}`}
      onClick={() => void copy()}
    >
      {copied ? "Copied" : "Copy"}
    </Button>
  );
}
