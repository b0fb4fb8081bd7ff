import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import chromium from "@sparticuz/chromium";
import { type BrowserContextOptions, chromium as driver, type Page } from "playwright-core";

/** A real browser. Pages of it share nothing. */
export interface TestBrowser extends AsyncDisposable {
  /** A page with cookies of its own. `options`: without script, dark, narrow, … */
  newPage(options?: BrowserContextOptions): Promise<Page>;
}

/** Starts the browser that comes with the tests' packages. Dispose of it with `await using`. */
export async function openBrowser(): Promise<TestBrowser> {
  const folder = await unpack();
  const browser = await driver.launch({
    executablePath: join(folder, "chromium"),
    // The package's own flags switch off what is to be tested: origins and what they may do.
    args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--font-render-hinting=none"],
    env: { ...process.env, FONTCONFIG_PATH: join(folder, "fonts") },
  });
  return {
    async newPage(options) {
      const context = await browser.newContext(options);
      // Less than a test has, so that what was waited for is told.
      context.setDefaultTimeout(15_000);
      return context.newPage();
    },
    [Symbol.asyncDispose]: () => browser.close(),
  };
}

const CACHE = fileURLToPath(new URL("../.cache", import.meta.url));

/** Where this version lies unpacked. The package takes any that lies in the temporary folder for its own, so each has its folder. */
async function unpack(): Promise<string> {
  const about = readFileSync(new URL("../node_modules/@sparticuz/chromium/package.json", import.meta.url), "utf8");
  const { version } = JSON.parse(about) as { version: string };
  const folder = join(CACHE, `chromium-${version}`);
  if (existsSync(folder)) return folder;
  const scratch = `${folder}.tmp-${process.pid}`;
  mkdirSync(scratch, { recursive: true });
  const { TMPDIR: before } = process.env;
  try {
    process.env["TMPDIR"] = scratch;
    await chromium.executablePath();
  } finally {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
  }
  // Its own says that the fonts lie in /tmp, and without any the browser ends at the first field.
  writeFileSync(
    join(scratch, "fonts/fonts.conf"),
    `<fontconfig><dir>${folder}/fonts</dir><cachedir>${folder}/fonts-cache</cachedir></fontconfig>\n`,
  );
  try {
    renameSync(scratch, folder);
  } catch (error) {
    // Several workers may unpack at once: one was first.
    if (!existsSync(folder)) throw error;
    rmSync(scratch, { recursive: true });
  }
  return folder;
}
