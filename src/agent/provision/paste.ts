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

/** Where the plugin's marketplace is: at the hub, so that a machine needs no clone. */
export function marketplaceOf(url: string): string {
  return `${url}/v1/plugin/marketplace.json`;
}

/** The plugin's own settings. */
export function pluginOptions({ url, token }: Pasted): object {
  return { url, token };
}
