import { useMutation } from "@tanstack/react-query";
import { useEffect } from "react";
import { clients } from "../../api/client";
import type { OtherDevice_Way } from "../../api/conch_pb";
import { Row } from "../../ui/Rows";
import { Select } from "../../ui/Select";
import { loadSettings, useSettings } from "../../window/settings";
import { toast, toastError } from "../../window/toasts";

/** Has engines run ONNX models by an accelerator from now on, and says so: the one that runs is started again. */
async function choose(accelerator: string): Promise<string> {
  await clients.workspace.setSettings({ values: { accelerator: JSON.stringify(accelerator) } });
  useSettings.setState({ accelerator });
  return clients.workspace.restartEngine({}).then(
    () => "The engine starts again with it",
    () => "It counts from the next start of an engine",
  );
}

interface Props {
  readonly ways: readonly OtherDevice_Way[];
}

/** By what ONNX models run that name no accelerator themselves. What was chosen stays in the list when its device is gone. */
export function Accelerator({ ways }: Props) {
  const chosen = useSettings((settings) => settings.accelerator);
  useEffect(() => {
    loadSettings().catch(() => undefined); // another window may have chosen since; where nothing answers, what is known stays
  }, []);
  const names = new Map([
    ["", "Processor"],
    ...(chosen === "" ? [] : ([[chosen, chosen]] as const)),
    ...ways.map(({ accelerator, provider }) => [accelerator, provider] as const),
  ]);
  const choice = useMutation({
    mutationFn: choose,
    onSuccess: (detail, to) =>
      toast({
        level: "info",
        text: `ONNX models run by ${to === "" ? "the processor" : names.get(to)}`,
        detail,
      }),
    onError: (error) => toastError("The setting was not changed", error),
  });
  if (names.size < 2) return null;
  return (
    <Row
      what={
        <>
          <strong>ONNX models run by</strong>
          <span>Unless their config names an accelerator, or they run on an NVIDIA GPU.</span>
          <small>A change restarts the engine. No config file is changed.</small>
        </>
      }
    >
      <Select
        small
        label="What ONNX models run by"
        hideLabel
        value={chosen}
        disabled={choice.isPending}
        onChange={(event) => choice.mutate(event.target.value)}
      >
        {[...names].map(([accelerator, name]) => (
          <option key={accelerator} value={accelerator}>
            {name}
          </option>
        ))}
      </Select>
    </Row>
  );
}
