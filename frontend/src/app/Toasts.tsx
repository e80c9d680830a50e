import { CircleAlert, Info, TriangleAlert, X } from "lucide-react";
import { cx } from "../lib/cx";
import { Button } from "../ui/Button";
import { Words } from "../ui/Words";
import { dismiss, type Toast, useToasts } from "../window/toasts";
import css from "./Toasts.module.css";

const icons = { info: Info, warning: TriangleAlert, error: CircleAlert };

function ToastCard({ toast }: { toast: Toast }) {
  const Icon = icons[toast.level];
  const act = () => {
    toast.action?.run();
    dismiss(toast.id);
  };
  return (
    <div className={css.toast} role={toast.level === "error" ? "alert" : "status"}>
      <Icon className={cx(css.icon, css[toast.level])} aria-hidden="true" />
      <div className={css.body}>
        <div className={css.text}>
          <Words text={toast.text} />
        </div>
        {toast.detail && (
          <div className={css.detail}>
            <Words text={toast.detail} />
          </div>
        )}
        {toast.action && (
          <button type="button" className={css.action} onClick={act}>
            {toast.action.label}
          </button>
        )}
      </div>
      <Button small look="ghost" aria-label="Dismiss" icon={<X />} onClick={() => dismiss(toast.id)} />
    </div>
  );
}

/** Short messages about things that happen elsewhere than where one looks. */
export function Toasts() {
  const toasts = useToasts((state) => state.toasts);
  return (
    <section className={css.stack} aria-label="Messages">
      {toasts.map((toast) => (
        <ToastCard key={toast.id} toast={toast} />
      ))}
    </section>
  );
}
