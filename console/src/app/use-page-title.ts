import { useMessages } from '../i18n/use-locale.ts';
import { menuOf } from './navigation.ts';
import { shellMessages } from './shell.messages.ts';
import { useActor } from './use-session.ts';

/** The name that the reader's menu gives to a page. */
export function usePageTitle(to: string): string {
  const t = useMessages(shellMessages);
  const item = menuOf(useActor())
    .flat()
    .find((each) => each.to === to);
  return item === undefined ? '' : (t[item.label] as string);
}
