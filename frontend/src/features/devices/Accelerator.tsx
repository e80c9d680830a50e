import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { clients } from "../../api/client";
import type { OtherDevice_Way } from "../../api/conch_pb";
import { Button } from "../../ui/Button";
import { Row } from "../../ui/Rows";
import { Select } from "../../ui/Select";
import { loadSettings, useSettings } from "../../window/settings";
import { toast, toastError } from "../../window/toasts";
import { useWorkspace } from "../../workspace/workspace";

/** Has engines run ONNX models by an accelerator from now on, and says so: the one that runs is started again. */
async function choose(accelerator: string): Promise<string> {
  await clients.workspace.setSettings({ values: { accelerator: JSON.stringify(accelerator) } });
  useSettings.setState({ accelerator });
  return clients.workspace.restartEngine({}).then(
    () => "The engine starts again with it",
    () => "It counts from the next start of an engine",
  );
}

/** What models run by: each name in the list, with the words for people. One that runs or is chosen stays in it when its device is gone. */
function namesOf(ways: readonly OtherDevice_Way[], kept: readonly string[]): Map<string, string> {
  return new Map([
    ["", "Processor"],
    ...kept.filter((name) => name !== "").map((name) => [name, name] as const),
    ...ways.map(({ accelerator, provider }) => [accelerator, provider] as const),
  ]);
}

interface Props {
  readonly ways: readonly OtherDevice_Way[];
}

/** By what ONNX models run that name no accelerator themselves. A choice counts when it is applied: arrow keys in the list pick one after the other. */
export function Accelerator({ ways }: Props) {
  const kept = useSettings((settings) => settings.accelerator);
  const running = useWorkspace(({ engine }) => engine?.accelerator);
  const [picked, pick] = useState<string>();
  const list = useRef<HTMLSelectElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: when the engine runs them by another one, another window has chosen it
  useEffect(() => {
    loadSettings().catch(() => undefined); // where nothing answers, what is known stays
  }, [running]);
  const names = namesOf(ways, running === undefined ? [kept] : [running, kept]);
  const words = (name: string) => (name === "" ? "the processor" : names.get(name));
  const shown = picked ?? kept;
  const choice = useMutation({
    mutationFn: choose,
    onSuccess: (detail, to) => {
      pick(undefined);
      list.current?.focus(); // the button goes
      toast({ level: "info", text: `ONNX models run by ${words(to)}`, detail });
    },
    onError: (error) => toastError("The setting was not changed", error),
  });
  if (names.size < 2) return null;
  const waits = running !== undefined && running !== kept;
  return (
    <Row
      what={
        <>
          <strong>ONNX models run by</strong>
          <span>Unless their config names an accelerator, or they run on an NVIDIA GPU.</span>
          {waits && (
            <small role="status">
              The engine runs them by {words(running)} now, and by {words(kept)} from its next start on.
            </small>
          )}
          <small>Apply restarts the engine with its models. No config file is changed.</small>
        </>
      }
    >
      <Select
        ref={list}
        small
        label="What ONNX models run by"
        hideLabel
        value={shown}
        onChange={(event) => pick(event.target.value)}
      >
        {[...names].map(([accelerator, name]) => (
          <option key={accelerator} value={accelerator}>
            {name}
          </option>
        ))}
      </Select>
      {(shown !== kept || waits) && (
        <Button
          small
          needs="app"
          aria-label={`Apply: run ONNX models by ${words(shown)}`}
          disabled={choice.isPending}
          onClick={() => choice.mutate(shown)}
        >
          Apply
        </Button>
      )}
    </Row>
  );
}
