import { QueryClientProvider } from "@tanstack/react-query";
import { useEffect } from "react";
import { queryClient } from "../api/queries";
import { TooltipProvider } from "../ui/Tooltip";
import { Shell } from "./Shell";
import { startWorkspace } from "./session";

/** The whole window. */
export function App() {
  useEffect(() => {
    const session = startWorkspace();
    return () => session.destroy();
  }, []);
  return (
    <QueryClientProvider client={queryClient}>
      <TooltipProvider>
        <Shell />
      </TooltipProvider>
    </QueryClientProvider>
  );
}
