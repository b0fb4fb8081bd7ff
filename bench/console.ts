// `npm run bench:console`: how soon the console is there in a slow browser, and how a room of ten thousand messages scrolls.
import { openBrowser } from "../test/e2e/browser.ts";
import { startTestHub, type TestHub } from "../src/testkit/hub.ts";

const MESSAGES = 10_000;
/** Posted at a time. */
const TOGETHER = 100;
/** How many times slower than this machine. */
const SLOWER = 4;
const SCREENS = 200;

async function fill(hub: TestHub) {
  const texts = [
    "Done.",
    "The **checkout** is slow again, since about nine; see `orders.ts`.",
    "One\n\n- two\n- three",
    "https://git.example/x/1",
  ];
  for (let at = 0; at < MESSAGES; at += TOGETHER) {
    const posts = Array.from({ length: TOGETHER }, (_, number) =>
      hub.as(number % 3 === 0 ? "box2" : "box1").call("post_message", { body: texts[number % texts.length] ?? "" }),
    );
    await Promise.all(posts);
  }
}

await using hub = await startTestHub("sqlite");
await hub.seatPeople();
await fill(hub);
await using browser = await openBrowser();
// The measuring script is none of ours, so the policy would refuse it.
const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, bypassCSP: true });
const home = hub.url.replace("127.0.0.1", "localhost");
const { token } = await hub.browser("ben");
await page.context().addCookies([{ name: "crewroom", value: token, url: home }]);
const devtools = await page.context().newCDPSession(page);
await devtools.send("Emulation.setCPUThrottlingRate", { rate: SLOWER });

for (const [name, path, shown] of [
  ["home", "/ui", "h1"],
  ["chat", "/ui/rooms/lobby/chat", "article"],
] as const) {
  const began = performance.now();
  await page.goto(home + path, { waitUntil: "commit" });
  await page.locator(shown).first().waitFor();
  say(`${name}: usable after ${Math.round(performance.now() - began)} ms, ${SLOWER} times slower than this machine`);
}

await page.evaluate(`
  globalThis.longTasks = [];
  new PerformanceObserver((list) => longTasks.push(...list.getEntries().map((entry) => entry.duration))).observe({ type: "longtask" });
`);
await page.getByRole("log").hover();
for (const rate of [SLOWER, 1]) {
  await devtools.send("Emulation.setCPUThrottlingRate", { rate });
  await page.evaluate("longTasks.length = 0");
  for (let screen = 0; screen < SCREENS; screen += 1) await page.mouse.wheel(0, -800);
  await page.waitForTimeout(1_000);
  const tasks = await page.evaluate<number[]>("longTasks");
  const drawn = await page.getByRole("article").count();
  const longest = Math.round(Math.max(0, ...tasks));
  say(
    `${SCREENS} screens back, ${rate} times slower: ${drawn} messages drawn, ${tasks.filter((ms) => ms > 100).length} tasks over 100 ms, longest ${longest} ms`,
  );
}

function say(line: string) {
  process.stdout.write(`${line}\n`);
}
