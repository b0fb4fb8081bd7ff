/** What pasted commands are made of. */
export interface Pasted {
  readonly url: string;
  readonly token: string;
  readonly room: string;
  /** The hub as an MCP server of Claude Code, with the token. */
  readonly server: object;
}

/** The plugin's name and its marketplace's. */
export const PLUGIN = "crewroom@crewroom";

/** The folder that the archive of `/v1/plugin` holds: a marketplace with the plugin in it. */
export const PLUGIN_FOLDER = "crewroom-plugin";

/** The plugin's own settings. */
export function pluginOptions({ url, token }: Pasted): object {
  return { url, token };
}
