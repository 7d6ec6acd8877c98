import { Card } from '../../components/ui/card.tsx';
import { Field, Input, Textarea } from '../../components/ui/field.tsx';
import { useMessages } from '../../i18n/use-locale.ts';
import { botMessages } from './bot.messages.ts';
import type { DraftProps } from './bot-draft.ts';

export function InstructionsTab({ draft, change, issues }: DraftProps) {
  const t = useMessages(botMessages);
  return (
    <Card className="max-w-3xl">
      <div className="grid gap-5 sm:grid-cols-2">
        <Field label={t.name} error={issues['name']}>
          <Input
            required
            maxLength={100}
            value={draft.name}
            onChange={(event) => change({ name: event.target.value })}
          />
        </Field>
        <Field label={t.introducedAs} hint={t.introducedAsHint} error={issues['identification_name']}>
          <Input
            maxLength={100}
            value={draft.identification_name}
            onChange={(event) => change({ identification_name: event.target.value })}
          />
        </Field>
        <Field
          label={t.instructions}
          hint={t.instructionsHint}
          error={issues['instructions']}
          className="sm:col-span-2"
        >
          <Textarea
            maxLength={32_000}
            className="min-h-56"
            value={draft.instructions}
            onChange={(event) => change({ instructions: event.target.value })}
          />
        </Field>
        <Field
          label={t.description}
          hint={t.descriptionHint}
          error={issues['description']}
          className="sm:col-span-2"
        >
          <Textarea
            maxLength={10_000}
            value={draft.description}
            onChange={(event) => change({ description: event.target.value })}
          />
        </Field>
      </div>
    </Card>
  );
}
