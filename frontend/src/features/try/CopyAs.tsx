/** The button that copies the request as a command or a program. */
import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import type { GetModelResponse } from "../../api/conch_pb";
import { Button } from "../../ui/Button";
import { Menu } from "../../ui/Menu";
import { copyAs, languages, wayOf, whyNot } from "./snippet";

const saidForMs = 1600;

export function CopyAs({ details }: { readonly details: GetModelResponse | undefined }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), saidForMs);
    return () => clearTimeout(timer);
  }, [copied]);
  const items = languages.map((language) => ({
    label: language.label,
    note: whyNot(language, details) ?? wayOf(language, details),
    disabled: whyNot(language, details) !== undefined,
    onSelect: () => void (details && copyAs(language, details).then(setCopied)),
  }));
  return (
    <Menu
      align="end"
      groups={[items]}
      trigger={
        <Button
          small
          look="ghost"
          aria-label="Copy as"
          title="Copy as curl, Python or grpcurl"
          disabled={!details}
          icon={copied ? <Check /> : <Copy />}
        >
          <span data-label="">{copied ? "Copied" : "Copy as"}</span>
        </Button>
      }
    />
  );
}
