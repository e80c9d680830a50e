/** What can be done about a problem, as buttons. */
import { ChevronDown } from "lucide-react";
import type { Fix } from "../api/conch_pb";
import { Button } from "../ui/Button";
import { Menu } from "../ui/Menu";
import css from "./Fixes.module.css";

/** The first fix; the others are in a menu beside it. */
export function Fixes({
  fixes,
  onFix,
}: {
  readonly fixes: readonly Fix[];
  readonly onFix: (fix: Fix) => void;
}) {
  const [first, ...others] = fixes;
  if (!first) return null;
  return (
    <>
      <Button small look="ghost" className={css.fix} title={first.title} onClick={() => onFix(first)}>
        {!first.safe && <span className={css.suggestion}>Suggestion:</span>} {first.title}
      </Button>
      {others.length > 0 && (
        <Menu
          align="end"
          trigger={
            <Button
              small
              look="ghost"
              className={css.fix}
              aria-label="Other fixes"
              title="Other fixes"
              icon={<ChevronDown />}
            />
          }
          groups={[others.map((fix) => ({ label: fix.title, onSelect: () => onFix(fix) }))]}
        />
      )}
    </>
  );
}
