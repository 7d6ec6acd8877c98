import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../../app/use-may.ts';
import { useActor } from '../../app/use-session.ts';
import { CreateButton } from '../../components/create-button.tsx';
import { Page } from '../../components/page.tsx';
import { useListSearch } from '../../components/use-list-search.ts';
import { useMessages } from '../../i18n/use-locale.ts';
import { AddPersonDialog } from './add-person-dialog.tsx';
import { peopleMessages } from './people.messages.ts';
import { operationsOf } from './people.queries.ts';
import { PeopleList } from './people-list.tsx';

const route = getRouteApi('/people');

/** The people of the reader's team, or the partner's staff. */
export function PeoplePage() {
  const t = useMessages(peopleMessages);
  const { teamId } = useActor();
  const list = useListSearch(route.useSearch());
  const mayAdd = useMay()(operationsOf(teamId).add);
  const [adding, setAdding] = useState(false);
  return (
    <Page
      title={t.title}
      description={teamId === null ? t.staffIntro : t.intro}
      actions={mayAdd && <CreateButton label={t.add} onClick={() => setAdding(true)} />}
    >
      <PeopleList team={teamId} list={list} />
      {adding && <AddPersonDialog team={teamId} onClose={() => setAdding(false)} />}
    </Page>
  );
}
