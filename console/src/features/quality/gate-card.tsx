import type { BotGate, Gate } from '@parley/sdk';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, issuesOf } from '../../api/client.ts';
import { useMay } from '../../app/use-may.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Card } from '../../components/ui/card.tsx';
import { Field, Input } from '../../components/ui/field.tsx';
import { Switch } from '../../components/ui/switch.tsx';
import { toastSuccess } from '../../components/ui/toast.tsx';
import { useMessages } from '../../i18n/use-locale.ts';
import { qualityMessages } from './quality.messages.ts';
import { gateQuery } from './quality.queries.ts';

const sourceNames = ['cases', 'recent'] as const;

/** What a draft must pass before it is published. Owners set it. */
export function GateCard({ botId }: { botId: string }) {
  const t = useMessages(qualityMessages);
  const query = useQuery(gateQuery(botId));
  return (
    <Card title={t.gate} description={t.gateHint}>
      <Loaded query={query}>
        {(stored) => <GateForm key={stored.updated_at} botId={botId} stored={stored} />}
      </Loaded>
    </Card>
  );
}

function GateForm({ botId, stored }: { botId: string; stored: BotGate }) {
  const t = useMessages(qualityMessages);
  const may = useMay();
  const queries = useQueryClient();
  const [isOn, setIsOn] = useState(stored.gate !== null);
  const [gate, setGate] = useState<Pick<Gate, 'min_pass' | 'max_worse' | 'sources'>>(
    stored.gate ?? { min_pass: 1, max_worse: 0, sources: ['cases'] },
  );
  const save = useMutation({
    async mutationFn() {
      if (!isOn) await api.deleteGate({ id: botId });
      else {
        const { min_pass, max_worse, sources } = gate;
        const recent = stored.gate === null ? {} : { recent_count: stored.gate.recent_count };
        const expected = { expected_updated_at: stored.updated_at };
        await api.putGate({ id: botId, min_pass, max_worse, sources, ...recent, ...expected });
      }
    },
    async onSuccess() {
      toastSuccess(t.gateSaved);
      await queries.invalidateQueries({ queryKey: gateQuery(botId).queryKey });
    },
  });
  const issues = issuesOf(save.error);
  return (
    <form
      className="grid gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <fieldset disabled={!may('putGate')} className="grid gap-4">
        <Switch label={t.gateOn} checked={isOn} onChange={setIsOn} disabled={!may('putGate')} />
        {isOn && (
          <>
            <div className="grid gap-4 sm:grid-cols-2">
              <Field label={t.minPass} error={issues['min_pass']}>
                <Input
                  type="number"
                  min={0}
                  max={100}
                  value={Math.round(gate.min_pass * 100)}
                  onChange={({ target }) => setGate({ ...gate, min_pass: (target.valueAsNumber || 0) / 100 })}
                />
              </Field>
              <Field label={t.maxWorse} error={issues['max_worse']}>
                <Input
                  type="number"
                  min={0}
                  max={1000}
                  value={gate.max_worse}
                  onChange={({ target }) => setGate({ ...gate, max_worse: target.valueAsNumber || 0 })}
                />
              </Field>
            </div>
            {sourceNames.map((source) => (
              <Switch
                key={source}
                label={t.sources[source]}
                checked={gate.sources.includes(source)}
                onChange={(chosen) =>
                  setGate({
                    ...gate,
                    sources: sourceNames.filter((name) =>
                      name === source ? chosen : gate.sources.includes(name),
                    ),
                  })
                }
              />
            ))}
          </>
        )}
      </fieldset>
      {save.error !== null && <ErrorNotice error={save.error} />}
      {may('putGate') && (
        <div>
          <Button type="submit" busy={save.isPending} disabled={isOn && gate.sources.length === 0}>
            {t.saveGate}
          </Button>
        </div>
      )}
    </form>
  );
}
