import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { CountingReporter } from "./counting-reporter.ts";

export default defineConfig({
  root: new URL("..", import.meta.url).pathname,
  cacheDir: "test/.cache/vite",
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts", "web/**/*.test.{ts,tsx}"],
    exclude: ["**/node_modules/**", "test/soak/**", "test/clients/**"],
    globalSetup: ["test/global-setup.ts"],
    pool: "forks",
    // Its own count leaves one processor free, which on two is half of them: tests wait for databases most of the time.
    maxWorkers: Math.max(2, availableParallelism()),
    // Whole hubs on real databases, on machines that others use too.
    testTimeout: 30_000,
    hookTimeout: 60_000,
    reporters: ["default", new CountingReporter()],
  },
});
