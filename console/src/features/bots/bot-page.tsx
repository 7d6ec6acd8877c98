import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { usePageTitle } from '../../app/use-page-title.ts';
import { Loaded } from '../../components/loaded.tsx';
import { Page } from '../../components/page.tsx';
import { BotEditor } from './bot-editor.tsx';
import { botQuery } from './bots.queries.ts';

const route = getRouteApi('/bots/$botId');

export function BotPage() {
  const title = usePageTitle('/bots');
  const { botId } = route.useParams();
  const query = useQuery(botQuery(botId));
  if (query.data !== undefined) return <BotEditor key={botId} bot={query.data} />;
  return (
    <Page title={title} crumbs={[{ label: title, to: '/bots' }]}>
      <Loaded query={query}>{() => null}</Loaded>
    </Page>
  );
}
