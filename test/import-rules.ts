import { readFileSync } from "node:fs";
import type { Import, Module } from "./modules.ts";

/** Who may import whom. The picture is in ARCHITECTURE.md; this table makes it true. */
interface Rule {
  /** Shown when the rule is broken. */
  readonly sentence: string;
  readonly from: RegExp;
  readonly exceptFrom?: RegExp;
  /** What is refused… */
  readonly to: RegExp;
  /** …but this is not. */
  readonly except?: RegExp;
  /** Types are refused too unless this is set. */
  readonly typesAllowed?: true;
}

const OURS = /^(src|web|scripts|test)\//;
const NODE = /^node:/;

export const RULES: readonly Rule[] = [
  {
    sentence: "The store knows SQL, not the hub.",
    from: /^src\/store\//,
    to: OURS,
    except: /^src\/store\//,
  },
  {
    sentence: "Core is what all features share.",
    from: /^src\/core\//,
    to: OURS,
    except: /^src\/(core|store)\//,
  },
  {
    sentence: "Who calls is decided before what is called.",
    from: /^src\/access\//,
    to: OURS,
    except: /^src\/(access|core|store)\//,
  },
  {
    sentence: "A rule cannot know how it was called.",
    from: /^src\/features\//,
    to: OURS,
    // The text that sets up an agent's machine is part of what minting a token answers; it is written where clients are known.
    except: /^src\/(features|access|core|store|agent\/provision)\//,
  },
  {
    sentence: "Edges are made from the operation list alone.",
    from: /^src\/edge\//,
    to: OURS,
    except: /^src\/(edge|access|core|version\.ts)/,
    typesAllowed: true,
  },
  {
    sentence: "A bridge follows the log; it calls nothing.",
    from: /^src\/bridges\//,
    to: OURS,
    except: /^src\/(bridges|access|core|store)\//,
  },
  {
    sentence: "The list names operations; it does nothing.",
    from: /^src\/operations\.ts$/,
    to: OURS,
    except: /^src\/(features|core)\//,
  },
  {
    sentence: "Settings are read by the hub; they know nobody.",
    from: /^src\/(config|version)\.ts$/,
    to: OURS,
  },
  {
    sentence: "The client knows the list's types, not its code.",
    from: /^src\/client\//,
    to: OURS,
    except: /^src\/client\//,
    typesAllowed: true,
  },
  {
    sentence: "The client runs in a browser: it imports no Node module.",
    from: /^src\/client\//,
    to: NODE,
  },
  {
    sentence: "What runs beside an agent reaches the hub through the client.",
    from: /^src\/agent\//,
    to: OURS,
    // What others wrote is framed there alone, and one place knows the version; neither imports anything of the hub.
    except: /^src\/((agent|client)\/|core\/frame\.ts$|version\.ts$)/,
    typesAllowed: true,
  },
  {
    sentence: "The command line opens the hub or calls it; edges are for others.",
    from: /^src\/cli\//,
    to: /^src\/(edge|bridges)\//,
  },
  {
    sentence: "The dashboard takes types from src, and values from src/client.",
    from: /^web\//,
    to: /^src\//,
    except: /^src\/client\//,
    typesAllowed: true,
  },
  {
    sentence: "SQL is written in queries files, the log and the store.",
    from: /^src\//,
    exceptFrom: /(^src\/.*\/([a-z-]+-)?queries\.ts$)|^src\/store\/|^src\/core\/(event-log|idempotency)\.ts$/,
    to: /^src\/store\/sql\.ts$/,
    typesAllowed: true,
  },
  {
    sentence: "Only the store knows which database it is.",
    from: /^src\//,
    exceptFrom: /^src\/store\//,
    to: /^(node:sqlite|pg)$/,
  },
  {
    sentence: "Only MCP's edge speaks MCP.",
    from: /^src\//,
    exceptFrom: /^src\/(edge\/mcp[a-z-]*\.ts$|agent\/)/,
    to: /^@modelcontextprotocol\//,
  },
  {
    sentence: "Only the authorization server's folder speaks OAuth.",
    from: /^src\//,
    exceptFrom: /^src\/edge\/oauth\//,
    to: /^oidc-provider$/,
  },
  {
    sentence: "The testkit is not shipped.",
    from: /^(src|web|scripts)\//,
    to: /(^src\/testkit\/|\.test\.tsx?$|^test\/)/,
  },
];

const SHARING = "Another feature's queries and answers, never its operations.";
const PACKAGES = "Product code imports packages of package.json only, not those of the tests.";
const MISSING = "What is imported exists, and is named with its ending.";
const CYCLE = "Two files that need each other are one file, or miss a third.";
const UNUSED = "Nothing unused: the program reaches every file.";

/** Where the program starts. What none of these reaches is not part of it. */
const ENTRIES = /^(src\/main\.ts|web\/main\.tsx|src\/(agent|cli)\/[a-z-]+-main\.ts|scripts\/[a-z-]+\.ts)$/;

const isTest = (path: string): boolean => /(\.test\.tsx?$|^src\/testkit\/|^(test|bench)\/)/.test(path);

/** Every breach as one line, `<file> → <what it imports>: <sentence>`. Tests and the testkit may import anything. */
export function findBreaches(modules: readonly Module[]): string[] {
  const product = modules.filter(({ path }) => !isTest(path));
  const operations = new Set(
    product.find(({ path }) => path === "src/operations.ts")?.imports.map(({ target }) => target),
  );
  const known = new Set(modules.map(({ path }) => path));
  return [
    ...product.flatMap(({ path, imports }) =>
      imports.flatMap((one) =>
        sentencesAgainst(path, one, operations).map((sentence) => `${path} → ${one.target}: ${sentence}`),
      ),
    ),
    ...modules.flatMap(({ path, imports }) =>
      imports
        .filter(({ target }) => OURS.test(target) && /\.tsx?$|\/[^.]+$/.test(target) && !known.has(target))
        .map(({ target }) => `${path} → ${target}: ${MISSING}`),
    ),
    ...findCycles(product).map((cycle) => `${cycle.join(" → ")}: ${CYCLE}`),
    ...findUnreached(product).map((path) => `${path}: ${UNUSED}`),
  ];
}

function sentencesAgainst(path: string, one: Import, operations: ReadonlySet<string>): string[] {
  const broken = RULES.filter(
    (rule) =>
      rule.from.test(path) &&
      !rule.exceptFrom?.test(path) &&
      rule.to.test(one.target) &&
      !rule.except?.test(one.target) &&
      !(rule.typesAllowed && one.typeOnly),
  ).map(({ sentence }) => sentence);
  if (operations.has(one.target) && isOtherFeature(path, one.target)) broken.push(SHARING);
  if (!path.startsWith("scripts/") && !isPackageOfOurs(one.target)) broken.push(PACKAGES);
  return broken;
}

function isOtherFeature(path: string, target: string): boolean {
  const [from, to] = [path, target].map((one) => /^src\/features\/([^/]+)\//.exec(one)?.[1]);
  return from !== undefined && to !== undefined && from !== to;
}

const PACKAGE = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
  devDependencies: Record<string, string>;
};

function isPackageOfOurs(target: string): boolean {
  if (OURS.test(target) || NODE.test(target) || target === "package.json") return true;
  const name = target.split("/", target.startsWith("@") ? 2 : 1).join("/");
  return name in PACKAGE.devDependencies;
}

// Depth first; a file met again on its own path closes a cycle. Each is reported once, from where it was entered.
function findCycles(modules: readonly Module[]): string[][] {
  const byPath = new Map(modules.map((module) => [module.path, module]));
  const done = new Set<string>();
  const cycles: string[][] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) cycles.push([...trail.slice(trail.indexOf(path)), path]);
    if (done.has(path)) return;
    done.add(path);
    for (const { target } of byPath.get(path)?.imports ?? []) visit(target, [...trail, path]);
  };
  for (const { path } of modules) visit(path, []);
  return cycles;
}

function findUnreached(modules: readonly Module[]): string[] {
  const byPath = new Map(modules.map((module) => [module.path, module]));
  const reached = new Set<string>();
  const waiting = modules.map(({ path }) => path).filter((path) => ENTRIES.test(path));
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (reached.has(path)) continue;
    reached.add(path);
    waiting.push(...(byPath.get(path)?.imports ?? []).map(({ target }) => target));
  }
  return modules.map(({ path }) => path).filter((path) => !reached.has(path));
}
