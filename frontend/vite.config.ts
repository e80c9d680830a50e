/// <reference types="vitest/config" />
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const pageTests = [
  "src/{api,metrics,requests,window,workspace}/**/*.test.{ts,tsx}",
  "src/**/*.page.test.{ts,tsx}",
];

// The built files are embedded in the Go program, so paths are relative to where index.html is served
// and nothing is fetched from anywhere else.
export default defineConfig({
  plugins: [react()],
  base: "./",
  build: {
    outDir: "dist",
    emptyOutDir: true,
    // WebKitGTK 2.42 and the browsers of the same year.
    target: ["es2022", "safari16"],
    chunkSizeWarningLimit: 1000,
    assetsInlineLimit: 0,
  },
  server: {
    host: "127.0.0.1",
    // `npm run fake` serves made-up data at this port; `conch web --port` can take its place.
    proxy: { "/api": process.env.CONCH_API ?? "http://127.0.0.1:8008" },
  },
  test: {
    // Making a document takes longer than most tests; only what touches the page gets one.
    // A machine that builds at the same time takes its time: only what hangs ends here.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    setupFiles: ["src/testing/waits.ts"],
    projects: [
      {
        extends: true,
        test: { name: "page", environment: "jsdom", include: pageTests, setupFiles: ["src/testing/page.ts"] },
      },
      {
        extends: true,
        test: { name: "plain", environment: "node", include: ["src/**/*.test.{ts,tsx}"], exclude: pageTests },
      },
    ],
  },
});
