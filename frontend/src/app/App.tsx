import { QueryClientProvider } from "@tanstack/react-query";
import { queryClient } from "../api/queries";
import { TooltipProvider } from "../ui/Tooltip";
import { Shell } from "./Shell";

/** The whole window. */
export function App() {
  return (
    <QueryClientProvider client={queryClient}>
      <TooltipProvider>
        <Shell />
      </TooltipProvider>
    </QueryClientProvider>
  );
}
