/**
 * As many items from the front as fit into `bytes` of JSON, and at least one, so that a page is never an empty stop.
 *
 * @param items  one more than the page asked for, when there are more: then the last is cut off and `hasMore` is true.
 */
export function fitPage<Item>(items: readonly Item[], size: number, bytes: number): { page: readonly Item[]; hasMore: boolean } {
  let left = bytes;
  let count = 0;
  for (const item of items.slice(0, size)) {
    left -= Buffer.byteLength(JSON.stringify(item)) + 1;
    if (left < 0 && count > 0) break;
    count += 1;
  }
  return { page: items.slice(0, count), hasMore: count < items.length };
}
