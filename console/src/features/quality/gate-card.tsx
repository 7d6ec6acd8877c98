import type { BotGate, Gate } from '@parley/sdk';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { Loaded } from '../../components/loaded.tsx';
import { Card } from '../../components/ui/card.tsx';
import { Field, Input } from '../../components/ui/field.tsx';
import { Switch } from '../../components/ui/switch.tsx';
import { useMessages } from '../../i18n/use-locale.ts';
import { gateMessages } from './gate.messages.ts';
import { gateQuery } from './quality.queries.ts';
import { runMessages } from './runs.messages.ts';
import { SettingsForm } from './settings-form.tsx';

const sourceNames = ['cases', 'recent'] as const;

/** What a draft must pass before it is published. Owners set it. */
export function GateCard({ botId }: { botId: string }) {
  const t = useMessages(gateMessages);
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
  const t = useMessages(gateMessages);
  const { sources: sourceLabels } = useMessages(runMessages);
  const [isOn, setIsOn] = useState(stored.gate !== null);
  const [gate, setGate] = useState<Pick<Gate, 'min_pass' | 'max_worse' | 'sources'>>(
    stored.gate ?? { min_pass: 1, max_worse: 0, sources: ['cases'] },
  );
  const save = async () => {
    if (!isOn) return api.deleteGate({ id: botId });
    const { min_pass, max_worse, sources } = gate;
    const recent = stored.gate === null ? {} : { recent_count: stored.gate.recent_count };
    const expected = { expected_updated_at: stored.updated_at };
    return api.putGate({ id: botId, min_pass, max_worse, sources, ...recent, ...expected });
  };
  return (
    <SettingsForm
      operation="putGate"
      save={save}
      queryKey={gateQuery(botId).queryKey}
      saveLabel={t.saveGate}
      savedText={t.gateSaved}
      isComplete={!isOn || gate.sources.length > 0}
    >
      {({ issues, disabled }) => (
        <>
          <Switch label={t.gateOn} checked={isOn} onChange={setIsOn} disabled={disabled} />
          {isOn && (
            <>
              <div className="grid gap-4 sm:grid-cols-2">
                <Field label={t.minPass} error={issues['min_pass']}>
                  <Input
                    type="number"
                    min={0}
                    max={100}
                    value={Math.round(gate.min_pass * 100)}
                    onChange={({ target }) =>
                      setGate({ ...gate, min_pass: (target.valueAsNumber || 0) / 100 })
                    }
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
                  label={sourceLabels[source]}
                  checked={gate.sources.includes(source)}
                  disabled={disabled}
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
        </>
      )}
    </SettingsForm>
  );
}
