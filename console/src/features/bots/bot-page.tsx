import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Loaded } from '../../components/loaded.tsx';
import { Page } from '../../components/page.tsx';
import { useMessages } from '../../i18n/use-locale.ts';
import { BotEditor } from './bot-editor.tsx';
import { botsMessages } from './bots.messages.ts';
import { botQuery } from './bots.queries.ts';

const route = getRouteApi('/bots/$botId');

export function BotPage() {
  const t = useMessages(botsMessages);
  const { botId } = route.useParams();
  const query = useQuery(botQuery(botId));
  if (query.data !== undefined) return <BotEditor key={botId} bot={query.data} />;
  return (
    <Page title={t.title} crumbs={[{ label: t.title, to: '/bots' }]}>
      <Loaded query={query}>{() => null}</Loaded>
    </Page>
  );
}
