/** The request as it stands, as a command or a program for the clipboard. */
import { Check, Copy } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import { useEffect, useState } from "react";
import { clients } from "../../api/client";
import type { GetModelResponse } from "../../api/conch_pb";
import { describeError } from "../../api/errors";
import { copyText } from "../../lib/clipboard";
import { getTry } from "../../stores/tries";
import { Button } from "../../ui/Button";
import { buildRequest } from "./send";
import css from "./try.module.css";

const languages = [
  { id: "curl", label: "curl", note: "KServe JSON over HTTP" },
  { id: "python", label: "Python", note: "tritonclient" },
  { id: "grpcurl", label: "grpcurl", note: "KServe over gRPC" },
] as const;

type Outcome = { readonly text: string; readonly failed: boolean };

async function copyAs(language: string, details: GetModelResponse): Promise<Outcome> {
  try {
    const request = buildRequest(details, getTry(details.summary?.name ?? ""));
    const { text } = await clients.tryIt.snippet({ language, request });
    await copyText(text);
    return { text: "Copied", failed: false };
  } catch (error) {
    const own =
      error instanceof Error && error.constructor !== Error
        ? describeError(error).message
        : String((error as Error).message);
    return { text: own, failed: true };
  }
}

type Props = { readonly model: string; readonly details: GetModelResponse | undefined };

export function CopyAs({ details }: Props) {
  const [outcome, setOutcome] = useState<Outcome>();
  useEffect(() => {
    if (!outcome) return;
    const timer = setTimeout(() => setOutcome(undefined), outcome.failed ? 8000 : 1600);
    return () => clearTimeout(timer);
  }, [outcome]);
  return (
    <span className={css.copyAs}>
      <DropdownMenu.Root>
        <DropdownMenu.Trigger asChild disabled={!details}>
          <Button small look="ghost" icon={outcome && !outcome.failed ? <Check /> : <Copy />}>
            {outcome && !outcome.failed ? "Copied" : "Copy as"}
          </Button>
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content className={css.menu} align="end" sideOffset={4}>
            {languages.map(({ id, label, note }) => (
              <DropdownMenu.Item
                key={id}
                className={css.menuItem}
                onSelect={() => details && void copyAs(id, details).then(setOutcome)}
              >
                <span>{label}</span>
                <span className="dim">{note}</span>
              </DropdownMenu.Item>
            ))}
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
      {outcome?.failed && (
        <span className={css.copyProblem} role="alert">
          Not copied. {outcome.text}
        </span>
      )}
    </span>
  );
}
