import { CircleAlert, Info, TriangleAlert, X } from "lucide-react";
import { useEffect } from "react";
import { cx } from "../lib/cx";
import { Button } from "../ui/Button";
import { Words } from "../ui/Words";
import { dismiss, hold, type Notice, takeUp, useToasts } from "../window/toasts";
import css from "./Toasts.module.css";

export const icons = { info: Info, warning: TriangleAlert, error: CircleAlert };

function ToastCard({ toast }: { toast: Notice }) {
  const Icon = icons[toast.level];
  return (
    <div className={css.toast} role={toast.level === "error" ? "alert" : "status"}>
      <Icon className={cx(css.icon, css[toast.level])} aria-hidden="true" />
      <div className={css.body}>
        <div>
          <Words text={toast.text} />
          {toast.count > 1 && <span className={css.count}> {times(toast.count)}</span>}
        </div>
        {toast.detail && (
          <div className={css.detail}>
            <Words text={toast.detail} />
          </div>
        )}
        {toast.action && (
          <button type="button" className={css.action} onClick={() => takeUp(toast)}>
            {toast.action.label}
          </button>
        )}
      </div>
      <Button small look="ghost" aria-label="Dismiss" icon={<X />} onClick={() => dismiss(toast.id)} />
    </div>
  );
}

/** How often something was said. */
export const times = (count: number): string => `(${count} times)`;

/** Short messages about things that happen elsewhere than where one looks: over the sidebar where it is shown. */
export function Toasts({ overSidebar = false }: { readonly overSidebar?: boolean }) {
  const toasts = useToasts((state) => state.toasts);
  const none = toasts.length === 0;
  useEffect(() => {
    if (none) hold(false); // the last one went from under the pointer
  }, [none]);
  return (
    <section
      className={cx(css.stack, overSidebar ? css.overSidebar : css.overPage)}
      aria-label="Messages"
      onPointerEnter={() => hold(true)}
      onPointerLeave={(event) => hold(event.currentTarget.contains(document.activeElement))}
      onFocus={() => hold(true)}
      onBlur={(event) => hold(event.currentTarget.matches(":hover"))}
    >
      {toasts.map((toast) => (
        <ToastCard key={toast.id} toast={toast} />
      ))}
    </section>
  );
}
