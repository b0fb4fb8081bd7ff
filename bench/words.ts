// What is asked and answered in the measurements: of the usual length, each text another one, from the words of one trade.
const VERBS = ["retries", "limits", "caches", "rotates", "replays", "indexes", "archives", "mirrors"];
const THINGS = ["payments", "invoices", "sessions", "webhooks", "exports", "backups", "messages", "schedules"];
const PLACES = ["the gateway", "the nightly run", "the European region", "the staging cluster", "the old importer"];

export function questionText(index: number): string {
  const [verb, thing, place] = wordsOf(index);
  return `Which service ${verb} the ${thing} in ${place}, and what happens to number ${index} when it is down for an hour?`;
}

export function answerTo(index: number): string {
  const [verb, thing, place] = wordsOf(index);
  return (
    `The worker beside ${place} ${verb} the ${thing}. Number ${index} waits in its queue for a day, with growing pauses ` +
    "between the attempts; after that it is put aside and somebody is told. Nothing is lost, but the order may change."
  );
}

function wordsOf(index: number): [string, string, string] {
  const pick = (words: readonly string[], step: number) => words[Math.floor(index / step) % words.length] ?? "";
  return [pick(VERBS, 1), pick(THINGS, VERBS.length), pick(PLACES, 3)];
}
