import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["packages/**/*.test.ts", "tests/**/*.test.ts", "bench/**/*.test.ts"],
    exclude: ["**/node_modules/**", "**/dist/**"],
    globalSetup: ["tests/fixtures/build-once.ts"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // What is awaited comes in milliseconds; a machine that does much else at once may need more than the second by default.
    expect: { poll: { timeout: 10_000 } },
    pool: "forks",
    maxWorkers: 2,
  },
})
