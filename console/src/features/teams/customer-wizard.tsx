import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Check } from 'lucide-react';
import { type FormEvent, useRef, useState } from 'react';
import { issuesOf } from '../../api/client.ts';
import { CopyText } from '../../components/copy-text.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Dialog, DialogFooter } from '../../components/ui/dialog.tsx';
import { Field, Input } from '../../components/ui/field.tsx';
import { Select } from '../../components/ui/select.tsx';
import { Spinner } from '../../components/ui/spinner.tsx';
import { commonMessages } from '../../i18n/common.messages.ts';
import { useLocale, useMessages } from '../../i18n/use-locale.ts';
import { SendByMail } from '../devices/send-by-mail.tsx';
import { documentTypes } from '../documents/document-types.ts';
import { botTemplatesMessages } from './bot-templates.messages.ts';
import { type CustomerStep, linkSeconds, nextStep, type Progress, takeStep } from './create-customer.ts';
import { customerMessages } from './customer.messages.ts';
import { teamsMessages } from './teams.messages.ts';

const steps = ['team', 'documents', 'bot', 'link'] as const satisfies CustomerStep[];
const templates = ['shop', 'restaurant', 'salon', 'practice', 'lodging'] as const;

/** Makes a team with a published bot, its documents, and the link that connects the phone of a customer. */
export function CustomerWizard({ onClose }: { onClose: () => void }) {
  const t = useMessages(customerMessages);
  const templateTexts = useMessages(botTemplatesMessages);
  const { locale } = useLocale();
  const queries = useQueryClient();
  const [values, setValues] = useState({ name: '', admin: '', email: '' });
  const [template, setTemplate] = useState<(typeof templates)[number]>('shop');
  const [files, setFiles] = useState<readonly File[]>([]);
  const [progress, setProgress] = useState<Progress>({ documentIds: [] });
  const [isRunning, setIsRunning] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const { name, purpose, instructions, questions } = templateTexts[template];
  const bot = { name, purpose, instructions, questions: Object.values(questions) };
  const customer = { ...values, bot, files };
  const create = async () => {
    setIsRunning(true);
    setError(null);
    let reached = progress;
    try {
      while (nextStep(customer, reached) !== null) {
        reached = await takeStep(customer, reached, locale);
        setProgress(reached);
      }
    } catch (failure) {
      setError(failure);
    } finally {
      setIsRunning(false);
      await queries.invalidateQueries();
    }
  };
  const hasBegun = isRunning || progress.teamId !== undefined;
  return (
    <Dialog open keepsOpen={hasBegun} onOpenChange={onClose} title={t.title} description={t.hint}>
      {progress.link !== undefined ? (
        <Result progress={progress} email={values.email} onProgress={setProgress} onClose={onClose} />
      ) : hasBegun ? (
        <Steps current={nextStep(customer, progress)} error={error} isRunning={isRunning} onRetry={create} />
      ) : (
        <CustomerForm
          values={values}
          onChange={setValues}
          template={template}
          onTemplate={setTemplate}
          files={files}
          onFiles={setFiles}
          error={error}
          onSubmit={() => void create()}
          onClose={onClose}
        />
      )}
    </Dialog>
  );
}

interface Values {
  name: string;
  admin: string;
  email: string;
}

function CustomerForm({
  values,
  onChange,
  template,
  onTemplate,
  files,
  onFiles,
  error,
  onSubmit,
  onClose,
}: {
  values: Values;
  onChange: (values: Values) => void;
  template: (typeof templates)[number];
  onTemplate: (template: (typeof templates)[number]) => void;
  files: readonly File[];
  onFiles: (files: readonly File[]) => void;
  error: unknown;
  onSubmit: () => void;
  onClose: () => void;
}) {
  const t = useMessages(customerMessages);
  const templateTexts = useMessages(botTemplatesMessages);
  const teams = useMessages(teamsMessages);
  const common = useMessages(commonMessages);
  const input = useRef<HTMLInputElement>(null);
  const issues = issuesOf(error);
  const text = (name: keyof Values) => ({
    required: true,
    autoComplete: 'off',
    value: values[name],
    onChange: (event: { target: { value: string } }) => onChange({ ...values, [name]: event.target.value }),
  });
  return (
    <form
      className="grid gap-4"
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      <Field label={t.name} error={issues['team.name']}>
        <Input maxLength={100} {...text('name')} />
      </Field>
      <Field label={teams.adminName} error={issues['user.name']}>
        <Input maxLength={100} {...text('admin')} />
      </Field>
      <Field label={teams.adminEmail} error={issues['user.email']}>
        <Input type="email" maxLength={254} {...text('email')} />
      </Field>
      <Field label={t.template} hint={templateTexts[template].purpose}>
        <Select
          value={template}
          onChange={onTemplate}
          choices={templates.map((value) => ({ value, label: templateTexts[value].label }))}
        />
      </Field>
      <div className="flex flex-wrap items-center gap-3">
        <Button onClick={() => input.current?.click()}>{t.chooseFiles}</Button>
        <span className="min-w-0 text-muted wrap-anywhere">
          {files.length === 0 ? common.optional : files.map(({ name }) => name).join(', ')}
        </span>
        <input
          ref={input}
          type="file"
          multiple
          accept={documentTypes.map((type) => `.${type}`).join(',')}
          aria-label={t.chooseFiles}
          className="hidden"
          onChange={(event) => onFiles([...(event.target.files ?? [])])}
        />
      </div>
      {error !== null && Object.keys(issues).length === 0 && <ErrorNotice error={error} />}
      <DialogFooter>
        <Button onClick={onClose}>{common.cancel}</Button>
        <Button type="submit" look="primary">
          {common.create}
        </Button>
      </DialogFooter>
    </form>
  );
}

function Steps({
  current,
  error,
  isRunning,
  onRetry,
}: {
  current: CustomerStep | null;
  error: unknown;
  isRunning: boolean;
  onRetry: () => Promise<void>;
}) {
  const t = useMessages(customerMessages);
  const reached = current === null ? steps.length : steps.indexOf(current);
  return (
    <div className="grid gap-4">
      <ol aria-live="polite" className="grid gap-2">
        {steps.map((step, position) => (
          <li key={step} className="flex items-center gap-3">
            <span className="grid size-5 place-items-center">
              {position < reached && <Check aria-hidden className="size-4 text-success" />}
              {position === reached && isRunning && <Spinner />}
            </span>
            <span className={position > reached ? 'text-muted' : undefined}>{t.steps[step]}</span>
          </li>
        ))}
      </ol>
      {error !== null && <ErrorNotice error={error} onRetry={() => void onRetry()} />}
    </div>
  );
}

function Result({
  progress,
  email,
  onProgress,
  onClose,
}: {
  progress: Progress;
  email: string;
  onProgress: (progress: Progress) => void;
  onClose: () => void;
}) {
  const t = useMessages(customerMessages);
  const navigate = useNavigate();
  const { link = '', teamId = '', deviceId = '' } = progress;
  const open = async () => {
    await navigate({ to: '/teams/$teamId', params: { teamId } });
    onClose();
  };
  return (
    <div className="grid gap-4">
      <p role="status">{t.done}</p>
      <div className="rounded-lg border bg-card p-3">
        <CopyText text={link} label={t.link} />
      </div>
      <SendByMail
        url={link}
        deviceId={deviceId}
        seconds={linkSeconds}
        to={email}
        onSent={({ url }) => onProgress({ ...progress, link: url })}
      />
      <DialogFooter>
        <Button onClick={() => void open()}>{t.openTeam}</Button>
      </DialogFooter>
    </div>
  );
}
