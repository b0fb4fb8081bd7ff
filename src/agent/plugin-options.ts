/** The settings of the plugin that its hooks are given, and what they are called elsewhere. */
const OPTIONS = {
  CLAUDE_PLUGIN_OPTION_URL: "CREWROOM_URL",
  CLAUDE_PLUGIN_OPTION_TOKEN: "CREWROOM_TOKEN",
  CLAUDE_PLUGIN_OPTION_ROOM: "CREWROOM_ROOM",
} as const;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The environment with what the plugin was set to, which goes before: its bridge is started with that alone.
 *
 * @source Claude Code, "Plugins reference": user configuration reaches hooks as CLAUDE_PLUGIN_OPTION_<KEY>. In a hook's
 * arguments it fails for a setting that nobody gave.
 */
export function withPluginOptions(environment: Environment): Environment {
  if (!environment["CLAUDE_PLUGIN_OPTION_TOKEN"]) return environment;
  const given = Object.entries(OPTIONS).map(([option, name]) => [name, environment[option]]);
  return { ...environment, ...Object.fromEntries(given) };
}
