import type { Preview } from '@parley/sdk';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { Loaded } from '../../components/loaded.tsx';
import { Card } from '../../components/ui/card.tsx';
import { Field, Textarea } from '../../components/ui/field.tsx';
import { commonMessages } from '../../i18n/common.messages.ts';
import { useMessages } from '../../i18n/use-locale.ts';
import { previewQuery } from './quality.queries.ts';
import { SettingsForm } from './settings-form.tsx';
import { testerMessages } from './testers.messages.ts';

/** The contacts who get the draft of the bot. */
export function TestersCard({ botId }: { botId: string }) {
  const t = useMessages(testerMessages);
  const query = useQuery(previewQuery(botId));
  return (
    <Card title={t.testers} description={t.testersHint}>
      <Loaded query={query}>
        {(stored) => <TestersForm key={stored.numbers.join()} botId={botId} stored={stored} />}
      </Loaded>
    </Card>
  );
}

function TestersForm({ botId, stored }: { botId: string; stored: Preview }) {
  const t = useMessages(testerMessages);
  const common = useMessages(commonMessages);
  const [text, setText] = useState(stored.numbers.join('\n'));
  return (
    <SettingsForm
      operation="setPreview"
      save={() =>
        api.setPreview({ id: botId, numbers: text.split(/[\n,;]/).flatMap((line) => line.trim() || []) })
      }
      queryKey={previewQuery(botId).queryKey}
      saveLabel={t.saveTesters}
      savedText={common.saved}
    >
      {() => (
        <Field label={t.testerNumbers} hint={t.testerNumbersHint}>
          <Textarea value={text} rows={2} onChange={(event) => setText(event.target.value)} />
        </Field>
      )}
    </SettingsForm>
  );
}
