import { useCallback } from 'react';
import { useMessages } from '../../i18n/use-locale.ts';
import { operationsMessages } from './operations.messages.ts';

/** Returns a function that puts an operation, such as `updateBot`, into words: "Bot: changed". */
export function useOperationText(): (operation: string) => string {
  const { nouns, verbs } = useMessages(operationsMessages);
  return useCallback(
    (operation) => {
      const [, verb = '', noun = ''] = /^([a-z]+)(.*)$/.exec(operation) ?? [];
      const words = (texts: object, name: string) => (texts as Record<string, string>)[name];
      const [object, done] = [words(nouns, noun), words(verbs, verb)];
      return object === undefined || done === undefined ? operation : `${object}: ${done}`;
    },
    [nouns, verbs],
  );
}
