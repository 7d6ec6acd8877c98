import type { CreateTemplateInput } from '@parley/sdk';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useRef, useState } from 'react';
import { api, issuesOf } from '../../api/client.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Dialog, DialogFooter } from '../../components/ui/dialog.tsx';
import { Field, Input, Textarea } from '../../components/ui/field.tsx';
import { Select } from '../../components/ui/select.tsx';
import { toastSuccess } from '../../components/ui/toast.tsx';
import { commonMessages } from '../../i18n/common.messages.ts';
import { useLocale, useMessages } from '../../i18n/use-locale.ts';
import { templatesMessages } from './templates.messages.ts';
import { variablesOf } from './templates.queries.ts';

export function CreateTemplateDialog({ deviceId, onClose }: { deviceId: string; onClose: () => void }) {
  const t = useMessages(templatesMessages);
  return (
    <Dialog open onOpenChange={onClose} title={t.create} description={t.createHint} wide keepsOpen>
      <TemplateForm deviceId={deviceId} onClose={onClose} />
    </Dialog>
  );
}

const categories = ['utility', 'marketing'] as const;

function TemplateForm({ deviceId, onClose }: { deviceId: string; onClose: () => void }) {
  const t = useMessages(templatesMessages);
  const common = useMessages(commonMessages);
  const { locale } = useLocale();
  const queries = useQueryClient();
  const [template, setTemplate] = useState<Omit<CreateTemplateInput, 'id' | 'examples'>>({
    name: '',
    language: locale,
    category: 'utility',
    body: '',
    footer: '',
  });
  const [examples, setExamples] = useState<Readonly<Record<string, string>>>({});
  const change = (changes: Partial<typeof template>) => setTemplate((old) => ({ ...old, ...changes }));
  const variables = variablesOf(template.body);
  const save = useMutation({
    mutationFn() {
      const { footer = '', ...others } = template;
      return api.createTemplate({
        id: deviceId,
        ...others,
        examples: variables.map((variable) => examples[variable]?.trim() ?? ''),
        ...(footer.trim() !== '' && { footer: footer.trim() }),
      });
    },
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: ['devices', 'templates', deviceId] });
      toastSuccess(t.asked);
      onClose();
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
      <Field label={common.name} hint={t.nameHint} error={issues['name']}>
        <Input
          value={template.name}
          required
          maxLength={100}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => change({ name: event.target.value })}
        />
      </Field>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label={t.language} hint={t.languageHint} error={issues['language']}>
          <Input
            value={template.language}
            required
            maxLength={6}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => change({ language: event.target.value })}
          />
        </Field>
        <Field label={t.category} hint={t.categoryHint} error={issues['category']}>
          <Select
            label={t.category}
            className="w-full"
            value={template.category}
            onChange={(category) => change({ category })}
            choices={categories.map((value) => ({ value, label: t.categories[value] }))}
          />
        </Field>
      </div>
      <BodyField
        body={template.body}
        error={issues['body'] ?? issues['examples']}
        onChange={(body) => change({ body })}
      />
      {variables.map((variable, index) => (
        <Field
          key={variable}
          label={t.example(variable)}
          hint={index === 0 ? t.exampleHint : undefined}
          error={issues[`examples[${index}]`]}
        >
          <Input
            value={examples[variable] ?? ''}
            required
            maxLength={200}
            autoComplete="off"
            onChange={(event) => setExamples({ ...examples, [variable]: event.target.value })}
          />
        </Field>
      ))}
      <Field label={`${t.footer} (${common.optional})`} error={issues['footer']}>
        <Input
          value={template.footer}
          maxLength={60}
          autoComplete="off"
          onChange={(event) => change({ footer: event.target.value })}
        />
      </Field>
      {save.error !== null && Object.keys(issues).length === 0 && <ErrorNotice error={save.error} />}
      <DialogFooter>
        <Button onClick={onClose}>{common.cancel}</Button>
        <Button type="submit" look="primary" busy={save.isPending}>
          {t.askReview}
        </Button>
      </DialogFooter>
    </form>
  );
}

function BodyField({
  body,
  error,
  onChange,
}: {
  body: string;
  error: string | undefined;
  onChange: (body: string) => void;
}) {
  const t = useMessages(templatesMessages);
  const field = useRef<HTMLTextAreaElement>(null);
  const addVariable = () => {
    const next = `{{${variablesOf(body).length + 1}}}`;
    const { selectionStart: start = body.length, selectionEnd: end = body.length } = field.current ?? {};
    onChange(body.slice(0, start) + next + body.slice(end));
    field.current?.focus();
  };
  return (
    <div className="grid gap-2">
      <Field label={t.body} hint={t.bodyHint} error={error}>
        <Textarea
          ref={field}
          value={body}
          required
          maxLength={1024}
          onChange={(event) => onChange(event.target.value)}
        />
      </Field>
      <Button size="small" className="justify-self-start" onClick={addVariable}>
        <Plus aria-hidden className="size-4" />
        {t.addVariable}
      </Button>
    </div>
  );
}
