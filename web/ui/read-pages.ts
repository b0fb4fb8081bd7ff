/** Pages of a list that are asked for at most. */
const MOST_PAGES = 20;

/** A whole list, page by page. `read` gives one page and where the next one begins. */
export async function readPages<Item, Place>(
  read: (place: Place | undefined) => Promise<{ readonly items: readonly Item[]; readonly next: Place | null }>,
): Promise<readonly Item[]> {
  const all: Item[] = [];
  let place: Place | undefined;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const { items, next } = await read(place);
    all.push(...items);
    if (next === null) break;
    place = next;
  }
  return all;
}
