// What a look at the log costs the server with a thousand and with a million events in it: `npm run bench:growth`.
import { variants } from "./calls.ts";
import { median } from "./figures.ts";
import { type Child, loadOn, startLoad, startServer } from "./processes.ts";

const [rounds = 5] = process.argv.slice(2).map(Number);
const load = await startLoad();
const small = await startServer("hub", 1_000);
const large = await startServer("hub", 1_000_000);

console.log("CPU per call with 1,000,000 events ÷ with 1,000, medians of the rounds.\n");
for (const name of ["whats_new, nothing new", "whats_new, 20 events", "read_messages, 20", "list_tasks, 20"]) {
  const ratios: number[] = [];
  for (let round = -1; round < rounds; round++) {
    const ratio = (await cpuOf(large, name)) / (await cpuOf(small, name));
    if (round >= 0) ratios.push(ratio);
  }
  console.log(`  ${name.padEnd(28)}${median(ratios).toFixed(2)}`);
}
for (const child of [load, small, large]) child.stop();

async function cpuOf(hub: Child, name: string): Promise<number> {
  const variant = variants(hub.ready, 16).find((one) => one.name === `/api       ${name}`);
  if (!variant) throw new Error(`There is no call ${name}.`);
  if (variant.behind !== undefined) await hub.ask({ behind: variant.behind });
  const { cpu, failed } = await loadOn(load, hub, { callers: 16, calls: 1_000, requests: variant.requests });
  if (failed > 0) throw new Error(`${name}: ${failed} calls failed`);
  return cpu;
}
