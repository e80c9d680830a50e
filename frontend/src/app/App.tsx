import { QueryClientProvider } from "@tanstack/react-query";
import { queryClient } from "../api/queries";

export function App() {
  return <QueryClientProvider client={queryClient}>{null}</QueryClientProvider>;
}
