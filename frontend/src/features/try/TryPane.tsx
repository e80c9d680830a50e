/** The right-hand pane of a model: enter a request, send it, read the answer. */
import { TriangleAlert, X } from "lucide-react";
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { GetModelResponse } from "../../api/conch_pb";
import { useModel } from "../../api/queries";
import { bringBackTry, patchTry, tryOf, type Undone, useTries } from "../../requests/tries";
import { Banner } from "../../ui/Banner";
import { Button } from "../../ui/Button";
import { Spinner } from "../../ui/Spinner";
import { dialogIsOpen } from "../../window/dialogs";
import { isPress, keys } from "../../window/keys";
import { Split } from "../../window/Split";
import { useKeptScroll } from "../../window/useKeptScroll";
import { ClientConfig } from "../../workspace/ClientConfig";
import { ErrorBox } from "../../workspace/ErrorBox";
import { useRemote } from "../../workspace/remote";
import { CompareButton } from "./CompareButton";
import { JsonRequest } from "./JsonRequest";
import { NotLoaded } from "./NotLoaded";
import { RequestForm } from "./RequestForm";
import { Response } from "./Response";
import { send } from "./send";
import { TryBar } from "./TryBar";
import css from "./try.module.css";

/** Less of the request is never shown: one input and its shape. */
const leastRequest = 120;
const leastAnswer = 140;

/** The answer's part of the pane at first: what the request leaves, between these shares. */
const leastShare = 0.45;
const mostShare = 0.7;

/** How far below the top of a box its last child ends, whatever of it is in sight. */
function usedIn(box: HTMLElement | null | undefined): number {
  const ends = Array.from(box?.children ?? [], (child) => {
    const { offsetTop, offsetHeight } = child as HTMLElement;
    return offsetTop + offsetHeight;
  });
  return Math.max(0, ...ends);
}

/** How much of the pane the first answer takes. `form` is what scrolls, alone in the pane until then. */
function roomFor(form: HTMLElement | null): number {
  const height = form?.clientHeight ?? 0;
  const left = height - usedIn(form) - belowForm;
  return Math.round(Math.max(leastAnswer, leastShare * height, Math.min(left, mostShare * height)));
}

const belowForm = 16;

/**
 * What an answer leaves of its room goes to a request that lacks it. `parts` is what the answer holds, in a pane of its own.
 */
function roomGiven(room: number, form: HTMLElement | null, parts: HTMLElement): number {
  const pane = parts.closest("section");
  if (!form || !pane || form.clientHeight === 0 || parts.childElementCount === 0) return room;
  const asked = parts.offsetTop + parts.offsetHeight + belowForm;
  const left = form.clientHeight + pane.clientHeight - usedIn(form) - belowForm;
  return Math.max(leastAnswer, Math.min(room, Math.max(asked, left)));
}

/** The room for the answer as that and the request need it. An answer may grow again up to the room that it had. */
function useGiven(room: number | undefined, form: RefObject<HTMLElement | null>): number | undefined {
  const [given, setGiven] = useState<number>();
  useLayoutEffect(() => {
    const parts = form.current?.closest("section")?.querySelector<HTMLElement>("[data-answer]");
    if (room === undefined || !parts) return setGiven(undefined);
    const sizes = new ResizeObserver(() => setGiven(roomGiven(room, form.current, parts)));
    for (const part of [parts, ...(form.current?.children ?? [])]) sizes.observe(part);
    return () => sizes.disconnect();
  }, [room, form]);
  return given ?? room;
}

/**
 * The room for a model's answer, as long as one is shown. It is measured once, while the form is alone in the pane: the
 * answer comes after that, in the same frame.
 */
function useRoom(model: string, shown: boolean, form: RefObject<HTMLElement | null>): number | undefined {
  const [measured, setMeasured] = useState<{ model: string; room: number }>();
  const room = shown && measured?.model === model ? measured.room : undefined;
  useLayoutEffect(() => {
    if (!shown) setMeasured(undefined);
    else if (room === undefined) setMeasured({ model, room: roomFor(form.current) });
  }, [model, shown, room, form]);
  return room;
}

export function TryPane({ model }: { model: string }) {
  const { data, error, refetch } = useModel(model);
  // What was tried last is a help, not a promise: without it the form begins empty.
  const server = useRemote()?.name; // each has its own requests
  // biome-ignore lint/correctness/useExhaustiveDependencies: it asks the server that is shown
  useEffect(() => void bringBackTry(model).catch(() => undefined), [model, server]);
  const form = useRef<HTMLDivElement>(null);
  const kept = useKeptScroll(`try ${model}`, form);
  const { answer, running, undone } = useTries(tryOf(model));
  // An answer that was brought back waits for the form, which says how much room it leaves.
  const shown = data !== undefined && (answer !== undefined || running !== undefined);
  const room = useRoom(model, shown, form);
  const given = useGiven(room, form);
  return (
    <section className={css.pane} aria-label="Try">
      <TryBar model={model} details={data} />
      {undone && <UndoneBanner model={model} undone={undone} />}
      <ClientConfig model={model}>
        A client loaded this model with a config of its own. Requests are answered by that one.
      </ClientConfig>
      <Split
        name="answer"
        label="Size of the answer"
        direction="vertical"
        fixed="second"
        size={given ?? leastAnswer}
        min={leastAnswer}
        rest={leastRequest}
        first={
          <div ref={kept} className={css.scroll}>
            {error && !data && (
              <ErrorBox
                title={`The inputs of ${model} could not be read`}
                names={[model]}
                error={error}
                onRetry={() => void refetch()}
              />
            )}
            {!data && !error && <Spinner label="Reading the model" />}
            {data && <Request model={model} details={data} />}
          </div>
        }
        second={
          room !== undefined ? (
            <Response
              model={model}
              answer={answer}
              running={running}
              action={<CompareButton details={data} />}
            />
          ) : undefined
        }
      />
    </section>
  );
}

/** Beside its buttons, what one of them could not do. */
function UndoneBanner({ model, undone }: { readonly model: string; readonly undone: Undone }) {
  const close = (
    <Button
      small
      look="ghost"
      icon={<X />}
      aria-label="Dismiss"
      onClick={() => patchTry(model, { undone: undefined })}
    />
  );
  return (
    <Banner tone="err" icon={<TriangleAlert aria-hidden="true" />} actions={close}>
      {undone.what}. {undone.why}
    </Banner>
  );
}

function Request({ model, details }: { model: string; details: GetModelResponse }) {
  const mode = useTries((state) => tryOf(model)(state).mode);
  useSendKey(details);
  return (
    <>
      <NotLoaded details={details} />
      {mode === "json" ? <JsonRequest model={model} /> : <RequestForm model={model} details={details} />}
    </>
  );
}

/** Sends from anywhere in the window while the pane is on screen. */
function useSendKey(details: GetModelResponse) {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || dialogIsOpen() || !isPress(event, keys.send)) return;
      event.preventDefault();
      void send(details);
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [details]);
}
