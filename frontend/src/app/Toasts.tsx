import { CircleAlert, Info, TriangleAlert, X } from "lucide-react";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { cx } from "../lib/cx";
import { count } from "../lib/format";
import { Button } from "../ui/Button";
import { Named } from "../ui/Named";
import { Words } from "../ui/Words";
import { showNotices } from "../window/asked";
import { dismiss, hold, inSight, type Notice, namesIn, takeUp, useToasts } from "../window/toasts";
import { modelsIn } from "../workspace/modelsIn";
import { asSentence } from "../workspace/workspace";
import css from "./Toasts.module.css";

export const icons = { info: Info, warning: TriangleAlert, error: CircleAlert };

function ToastCard({ toast }: { toast: Notice }) {
  const Icon = icons[toast.level];
  return (
    <div className={css.toast} role={toast.level === "error" ? "alert" : "status"}>
      <Icon className={cx(css.icon, css[toast.level])} aria-hidden="true" />
      <div className={css.body}>
        <Said key={toast.detail} toast={toast} />
        {toast.action && (
          <button type="button" className={css.action} onClick={() => takeUp(toast)}>
            <Named text={toast.action.label} names={namesIn(toast)} />
          </button>
        )}
      </div>
      <Button small look="ghost" aria-label="Dismiss" icon={<X />} onClick={() => dismiss(toast.id)} />
    </div>
  );
}

/** What it says, in five lines until somebody asks for more where it has more than six: a long one would take the place of models. */
function Said({ toast }: { toast: Notice }) {
  const words = useRef<HTMLDivElement>(null);
  const [shown, setShown] = useState<"whole" | "short" | "all">("whole");
  useLayoutEffect(() => {
    const element = words.current;
    if (!element) return;
    const measure = () => {
      if (element.scrollHeight > element.clientHeight + 1)
        setShown((now) => (now === "whole" ? "short" : now));
    };
    const sizes = new ResizeObserver(measure);
    sizes.observe(element);
    measure();
    return () => sizes.disconnect();
  }, []);
  const isAll = shown === "all";
  return (
    <>
      <div ref={words} className={css[shown]}>
        <div>
          <Words text={toast.text} names={namesIn(toast)} whole />
          {toast.count > 1 && <span className={css.count}> {times(toast.count)}</span>}
        </div>
        {toast.detail && (
          <div className={css.detail}>
            <Words text={detailOf(toast)} names={[...namesIn(toast), ...modelsIn(toast.detail)]} whole />
          </div>
        )}
      </div>
      {shown !== "whole" && (
        <button
          type="button"
          className={css.more}
          aria-expanded={isAll}
          onClick={() => setShown(isAll ? "short" : "all")}
        >
          {isAll ? "Less" : "More"}
        </button>
      )}
    </>
  );
}

/** Why, with a capital, as the pages say it. */
export const detailOf = (notice: Notice): string => asSentence(notice.detail ?? "", namesIn(notice));

/** How often something was said. */
export const times = (count: number): string => `(${count} times)`;

/**
 * Short messages about things that happen elsewhere than where one looks. They have room of their own, so that they cover nothing:
 * under the list of models where it is shown, else under the page. A message that comes moves none that is there, or a click on
 * its button would miss: the room under the list grows upwards, so the newest is first there; columns fill from the left, so it
 * is last there.
 */
export function Toasts({ underList = false }: { readonly underList?: boolean }) {
  const toasts = useToasts((state) => state.toasts);
  const { shown, more } = inSight(toasts);
  const none = toasts.length === 0;
  const section = useRef<HTMLElement>(null);
  const focused = useRef(false);
  useEffect(() => {
    if (none) hold(false); // the last one went from under the pointer
  }, [none]);
  // What goes with the focus on it does not say that it lost it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the focus can have gone with a message
  useEffect(() => {
    if (!focused.current || section.current?.contains(document.activeElement)) return;
    focused.current = false;
    hold(section.current?.matches(":hover") ?? false);
  }, [toasts]);
  return (
    <section
      ref={section}
      className={cx(css.stack, underList ? css.underList : css.underPage, none && css.none)}
      aria-label="Messages"
      onPointerEnter={() => hold(true)}
      onPointerLeave={(event) => hold(event.currentTarget.contains(document.activeElement))}
      onFocus={() => {
        focused.current = true;
        hold(true);
      }}
      onBlur={(event) => hold(event.currentTarget.matches(":hover"))}
    >
      {(underList ? shown.toReversed() : shown).map((toast) => (
        <ToastCard key={toast.id} toast={toast} />
      ))}
      {more > 0 && (
        <button type="button" className={css.others} onClick={() => showNotices(true)}>
          {count(more, "more notice")}
        </button>
      )}
    </section>
  );
}
