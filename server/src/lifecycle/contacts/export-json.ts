import type { ContactExport } from './contacts.schemas.ts';

/** Returns the JSON of the response, with a piece for each message and answer. All at once would block the process for a second. */
export function* exportToJson({ messages, answers, ...others }: ContactExport): Generator<string> {
  yield `{"success":true,"data":${JSON.stringify(others).slice(0, -1)}`;
  yield* listToJson('messages', messages);
  yield* listToJson('answers', answers);
  yield '}}';
}

function* listToJson(name: string, items: readonly object[]): Generator<string> {
  yield `,"${name}":[`;
  for (const [index, item] of items.entries()) yield `${index === 0 ? '' : ','}${JSON.stringify(item)}`;
  yield ']';
}
