/** The last hundred notices with their times, and what each of them offers. */
import { Bell } from "lucide-react";
import { Popover } from "radix-ui";
import { cx } from "../lib/cx";
import { moment } from "../lib/format";
import { Button } from "../ui/Button";
import { floating } from "../ui/floating";
import { Named } from "../ui/Named";
import { Words } from "../ui/Words";
import { showNotices, useAsked } from "../window/asked";
import { forgetPast, markSeen, type Notice, namesIn, takeUp, useToasts } from "../window/toasts";
import { modelsIn } from "../workspace/modelsIn";
import { useBetterNotices } from "./betterNotices";
import css from "./NoticesMenu.module.css";
import { detailOf, icons, times } from "./Toasts";

export function NoticesMenu() {
  useBetterNotices();
  const open = useAsked((asked) => asked.notices);
  const past = useToasts((state) => state.past);
  const seen = useToasts((state) => state.seen);
  const unseen = past.filter(({ id, level }) => id > seen && level === "error").length;
  const label = unseen > 0 ? `Notices, ${unseen} new ${unseen === 1 ? "error" : "errors"}` : "Notices";
  return (
    <Popover.Root
      open={open}
      onOpenChange={(next) => {
        showNotices(next);
        markSeen();
      }}
    >
      <Popover.Trigger asChild>
        <Button
          look="ghost"
          aria-label={label}
          title={label}
          icon={<Bell />}
          className={cx(unseen > 0 && css.unseen)}
        />
      </Popover.Trigger>
      <Popover.Portal container={floating()}>
        <Popover.Content className={css.list} align="end" sideOffset={6} aria-label="Notices">
          <header className={css.head}>
            <strong>Notices</strong>
            {past.length > 0 && (
              <Button small look="ghost" onClick={forgetPast}>
                Clear
              </Button>
            )}
          </header>
          {past.length === 0 ? (
            <p className={css.none}>No notices yet. What happens elsewhere in the window is listed here.</p>
          ) : (
            <ul className={css.items}>
              {past.map((notice) => (
                <Item key={notice.id} notice={notice} />
              ))}
            </ul>
          )}
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

function Item({ notice }: { readonly notice: Notice }) {
  const { level, text, detail, reason, time, count, action } = notice;
  const Icon = icons[level];
  return (
    <li className={css.item}>
      <Icon className={cx(css.icon, css[level])} aria-label={level === "info" ? "Done" : level} />
      <div className={css.body}>
        <div>
          <Words text={text} names={namesIn(notice)} whole />
          {count > 1 && <span className={css.dim}> {times(count)}</span>}
        </div>
        {detail && (
          <div className={css.detail} title={reason === detail ? undefined : reason}>
            <Words text={detailOf(notice)} names={[...namesIn(notice), ...modelsIn(detail)]} whole />
          </div>
        )}
        {action && (
          <Button small onClick={() => takeUp(notice)}>
            <Named text={action.label} names={namesIn(notice)} />
          </Button>
        )}
      </div>
      <time className={css.dim} dateTime={new Date(time).toISOString()}>
        {moment(time)}
      </time>
    </li>
  );
}
