import type { Preview } from '@parley/sdk';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useMay } from '../../app/use-may.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Card } from '../../components/ui/card.tsx';
import { Field, Textarea } from '../../components/ui/field.tsx';
import { toastSuccess } from '../../components/ui/toast.tsx';
import { commonMessages } from '../../i18n/common.messages.ts';
import { useMessages } from '../../i18n/use-locale.ts';
import { qualityMessages } from './quality.messages.ts';
import { previewQuery } from './quality.queries.ts';

/** The contacts who get the draft of the bot. */
export function TestersCard({ botId }: { botId: string }) {
  const t = useMessages(qualityMessages);
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
  const t = useMessages(qualityMessages);
  const common = useMessages(commonMessages);
  const may = useMay();
  const queries = useQueryClient();
  const [text, setText] = useState(stored.numbers.join('\n'));
  const save = useMutation({
    mutationFn: () =>
      api.setPreview({ id: botId, numbers: text.split(/[\n,;]/).flatMap((line) => line.trim() || []) }),
    async onSuccess() {
      toastSuccess(common.saved);
      await queries.invalidateQueries({ queryKey: previewQuery(botId).queryKey });
    },
  });
  return (
    <form
      className="grid gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <fieldset disabled={!may('setPreview')}>
        <Field label={t.testerNumbers} hint={t.testerNumbersHint}>
          <Textarea value={text} rows={2} onChange={(event) => setText(event.target.value)} />
        </Field>
      </fieldset>
      {save.error !== null && <ErrorNotice error={save.error} />}
      {may('setPreview') && (
        <div>
          <Button type="submit" busy={save.isPending}>
            {t.saveTesters}
          </Button>
        </div>
      )}
    </form>
  );
}
