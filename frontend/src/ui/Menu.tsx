import { Check } from "lucide-react";
import { ContextMenu as RadixContext, DropdownMenu as RadixDropdown } from "radix-ui";
import { Fragment, type ReactElement, type ReactNode } from "react";
import { cx } from "../lib/cx";
import { floating } from "./floating";
import { KeyHint } from "./KeyHint";
import css from "./Menu.module.css";
import { type Needs, useWhyOff } from "./reach";

export interface MenuItem {
  label: string;
  icon?: ReactNode;
  shortcut?: string;
  /** Shown dimmed under the label: why it is off, or what it does. */
  note?: string;
  disabled?: boolean;
  /** What has to answer for it; it is off meanwhile, and says why. */
  needs?: Needs;
  danger?: boolean;
  checked?: boolean;
  onSelect: () => void;
}

/** Items; a line is drawn between groups. */
export type MenuGroups = readonly (readonly MenuItem[])[];

/** What an item has before its label: room for a check too, where it can have one. */
const hasIcon = ({ icon, checked }: MenuItem): boolean => icon !== undefined || checked !== undefined;

function ItemBody({ item, icons }: { item: MenuItem; icons: boolean }) {
  return (
    <>
      {icons && <span className={css.icon}>{item.checked ? <Check aria-hidden="true" /> : item.icon}</span>}
      <span className={css.label}>
        {item.label}
        {item.note && <span className={css.note}>{item.note}</span>}
      </span>
      {item.shortcut && <KeyHint keys={item.shortcut} />}
    </>
  );
}

type Parts =
  | Pick<typeof RadixDropdown, "Item" | "CheckboxItem" | "Separator">
  | Pick<typeof RadixContext, "Item" | "CheckboxItem" | "Separator">;

interface EntryProps {
  item: MenuItem;
  icons: boolean;
  parts: Parts;
}

/** One that is chosen or not tells so to screen readers, too. */
function Entry({ item, icons, parts: { Item, CheckboxItem } }: EntryProps) {
  const off = useWhyOff(item.needs);
  const props = {
    className: cx(css.item, item.danger && css.danger),
    disabled: item.disabled || off !== undefined,
    title: off,
    onSelect: item.onSelect,
  };
  const body = <ItemBody item={item} icons={icons} />;
  if (item.checked === undefined) return <Item {...props}>{body}</Item>;
  return (
    <CheckboxItem {...props} checked={item.checked}>
      {body}
    </CheckboxItem>
  );
}

function Groups({ groups, parts }: { groups: MenuGroups; parts: Parts }) {
  const { Separator } = parts;
  const shown = groups.filter((group) => group.length > 0);
  const icons = shown.flat().some(hasIcon); // without any, labels begin at the edge
  return shown.map((group, index) => (
    <Fragment key={group[0]?.label}>
      {index > 0 && <Separator className={css.line} />}
      {group.map((item) => (
        <Entry key={item.label} item={item} icons={icons} parts={parts} />
      ))}
    </Fragment>
  ));
}

export interface MenuProps {
  /** The button that opens it. */
  trigger: ReactElement;
  groups: MenuGroups;
  /** Said above the items: what the menu is about. */
  heading?: ReactNode;
  align?: "start" | "end";
}

export function Menu({ trigger, groups, heading, align = "start" }: MenuProps) {
  return (
    <RadixDropdown.Root modal={false}>
      <RadixDropdown.Trigger asChild>{trigger}</RadixDropdown.Trigger>
      <RadixDropdown.Portal container={floating()}>
        <RadixDropdown.Content className={css.menu} align={align} sideOffset={4} collisionPadding={8}>
          {heading && <div className={css.heading}>{heading}</div>}
          <Groups groups={groups} parts={RadixDropdown} />
        </RadixDropdown.Content>
      </RadixDropdown.Portal>
    </RadixDropdown.Root>
  );
}

/** The same items at the pointer, for the secondary button and the menu key. */
export function ContextMenu({ children, groups }: { children: ReactElement; groups: MenuGroups }) {
  return (
    <RadixContext.Root modal={false}>
      <RadixContext.Trigger asChild>{children}</RadixContext.Trigger>
      <RadixContext.Portal container={floating()}>
        <RadixContext.Content className={css.menu} collisionPadding={8}>
          <Groups groups={groups} parts={RadixContext} />
        </RadixContext.Content>
      </RadixContext.Portal>
    </RadixContext.Root>
  );
}
