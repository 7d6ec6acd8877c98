import { Card } from '../../components/ui/card.tsx';
import { Field, Input } from '../../components/ui/field.tsx';
import { Select } from '../../components/ui/select.tsx';
import { Switch } from '../../components/ui/switch.tsx';
import { useMessages } from '../../i18n/use-locale.ts';
import { botMessages } from './bot.messages.ts';
import type { BotDraft, DraftProps } from './bot-draft.ts';

type Flag = { [Name in keyof BotDraft]: BotDraft[Name] extends boolean ? Name : never }[keyof BotDraft];

export function BotSettingsTab({ draft, change, issues }: DraftProps) {
  const t = useMessages(botMessages);
  const flags: [Flag, string, string][] = [
    ['allow_human', t.allowHuman, t.allowHumanHint],
    ['break_lines', t.breakLines, t.breakLinesHint],
    ['use_audio_responses', t.audioAnswers, t.audioAnswersHint],
    ['allow_user_audio_requests', t.audioRequests, t.audioRequestsHint],
    ['capture_payments', t.payments, t.paymentsHint],
  ];
  return (
    <Card className="max-w-3xl">
      <div className="grid gap-5">
        {flags.map(([name, label, hint]) => (
          <Switch
            key={name}
            label={label}
            hint={hint}
            checked={draft[name]}
            onChange={(checked) => change({ [name]: checked })}
          />
        ))}
        <div className="grid gap-5 border-t pt-5 sm:grid-cols-2">
          <Field label={t.level} hint={t.levelHint} error={issues['chat_model_level']}>
            <Select
              value={String(draft.chat_model_level)}
              onChange={(level) => change({ chat_model_level: Number(level) })}
              choices={['1', '2', '3'].map((value) => ({ value, label: value }))}
            />
          </Field>
          <Field label={t.temperature} hint={t.temperatureHint} error={issues['temperature']}>
            <Input
              type="number"
              min={0}
              max={2}
              step={0.1}
              value={draft.temperature}
              onChange={(event) => change({ temperature: event.target.valueAsNumber || 0 })}
            />
          </Field>
          <Field label={t.maxAge} hint={t.maxAgeHint} error={issues['answer_max_age_minutes']}>
            <Input
              type="number"
              min={1}
              max={43200}
              placeholder="720"
              value={draft.answer_max_age_minutes ?? ''}
              onChange={({ target: { valueAsNumber: minutes } }) =>
                change({ answer_max_age_minutes: Number.isNaN(minutes) ? null : minutes })
              }
            />
          </Field>
        </div>
      </div>
    </Card>
  );
}
