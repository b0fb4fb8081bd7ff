/** See postgres.mjs. */
export function startPostgres(options?: { readonly durable?: boolean }): Promise<{
  readonly url: string;
  stop(): Promise<void>;
  crash(): Promise<void>;
}>;
