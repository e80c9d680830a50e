/** The request as it stands, as a command or a program for the clipboard. */
import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { clients } from "../../api/client";
import type { GetModelResponse } from "../../api/conch_pb";
import { copyText } from "../../lib/clipboard";
import { toast } from "../../stores/toasts";
import { getTry } from "../../stores/tries";
import { Button } from "../../ui/Button";
import { Menu } from "../../ui/Menu";
import { failureText } from "./failure";
import { buildRequest } from "./send";

const languages = [
  { id: "curl", label: "curl", note: "KServe JSON over HTTP" },
  { id: "python", label: "Python", note: "tritonclient" },
  { id: "grpcurl", label: "grpcurl", note: "KServe over gRPC" },
] as const;

const saidForMs = 1600;

/** Whether the text is on the clipboard now; a failure becomes a toast. */
async function copyAs(language: string, label: string, details: GetModelResponse): Promise<boolean> {
  try {
    const request = buildRequest(details, getTry(details.summary?.name ?? ""));
    const { text } = await clients.tryIt.snippet({ language, request });
    await copyText(text);
    return true;
  } catch (error) {
    toast({ level: "error", text: `The request was not copied as ${label}`, detail: failureText(error) });
    return false;
  }
}

export function CopyAs({ details }: { readonly details: GetModelResponse | undefined }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), saidForMs);
    return () => clearTimeout(timer);
  }, [copied]);
  const items = languages.map(({ id, label, note }) => ({
    label,
    note,
    onSelect: () => void (details && copyAs(id, label, details).then(setCopied)),
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
