import type { Device, DeviceTemplate } from '@parley/sdk';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { MessageSquareText, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useMay } from '../../app/use-may.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { Pager } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Badge, type Tone } from '../../components/ui/badge.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Card } from '../../components/ui/card.tsx';
import { Field } from '../../components/ui/field.tsx';
import { Select } from '../../components/ui/select.tsx';
import { toastError, toastSuccess } from '../../components/ui/toast.tsx';
import { commonMessages } from '../../i18n/common.messages.ts';
import { useMessages } from '../../i18n/use-locale.ts';
import { Row, Rows } from '../quality/rows.tsx';
import { CreateTemplateDialog } from './create-template-dialog.tsx';
import { templatesMessages } from './templates.messages.ts';
import { approvedTemplatesQuery, labelOf, templatesQuery } from './templates.queries.ts';

/** What the device may send to contacts who have not written for 24 hours. */
export function TemplatesCard({ device }: { device: Device }) {
  const t = useMessages(templatesMessages);
  const may = useMay();
  const [page, setPage] = useState(1);
  const [isNew, setIsNew] = useState(false);
  const query = useQuery(templatesQuery(device.id, page));
  return (
    <Card
      title={t.title}
      description={t.hint}
      flush
      actions={
        // The network takes none without the credentials of the device.
        device.webhook_url !== null &&
        may('createTemplate') && (
          <Button size="small" onClick={() => setIsNew(true)}>
            <Plus aria-hidden className="size-4" />
            {t.create}
          </Button>
        )
      }
    >
      <Loaded query={query}>
        {({ data, meta }) =>
          data.length === 0 ? (
            <EmptyState icon={MessageSquareText} title={t.empty}>
              {t.emptyHint}
            </EmptyState>
          ) : (
            <>
              <DefaultTemplate device={device} />
              <Rows label={t.title}>
                {data.map((template) => (
                  <TemplateRow key={template.id} device={device} template={template} />
                ))}
              </Rows>
              <div className="p-3 empty:hidden">
                <Pager page={page} totalPages={meta.totalPages} onPage={setPage} />
              </div>
            </>
          )
        }
      </Loaded>
      {isNew && <CreateTemplateDialog deviceId={device.id} onClose={() => setIsNew(false)} />}
    </Card>
  );
}

const tones: Readonly<Record<DeviceTemplate['state'], Tone>> = {
  pending: 'neutral',
  approved: 'success',
  rejected: 'danger',
  paused: 'warning',
  disabled: 'danger',
};

const isDefault = ({ default_template: chosen }: Device, { name, language }: DeviceTemplate): boolean =>
  chosen?.name === name && chosen.language === language;

function TemplateRow({ device, template }: { device: Device; template: DeviceTemplate }) {
  const t = useMessages(templatesMessages);
  const { language, category, state, body, variables } = template;
  const names: Readonly<Record<string, string>> = t.categories;
  const notice = useNotice(template);
  return (
    <Row>
      <div className="grid min-w-0 flex-1 basis-48 gap-0.5">
        <h3 className="font-medium wrap-anywhere">{template.name}</h3>
        <p className="text-muted text-[0.8125rem]">
          {language} · {names[category] ?? category}
        </p>
        <p className="whitespace-pre-line wrap-anywhere">{body}</p>
        {notice !== null && <p className="text-danger text-[0.8125rem] wrap-anywhere">{notice}</p>}
        {variables === null && <p className="text-muted text-[0.8125rem]">{t.unfillable}</p>}
      </div>
      {isDefault(device, template) && <Badge tone="accent">{t.isDefault}</Badge>}
      <Badge tone={tones[state]}>{t.states[state]}</Badge>
      <DeleteTemplate device={device} template={template} />
    </Row>
  );
}

/** Why the network does not take the template. */
function useNotice({ state, reason }: DeviceTemplate): string | null {
  const t = useMessages(templatesMessages);
  const reasons: Readonly<Record<string, string>> = t.reasons;
  if (reason !== null) return reasons[reason] ?? reason.replaceAll('_', ' ');
  if (state === 'paused') return t.pausedHint;
  return state === 'disabled' ? t.disabledHint : null;
}

function DeleteTemplate({ device, template }: { device: Device; template: DeviceTemplate }) {
  const t = useMessages(templatesMessages);
  const common = useMessages(commonMessages);
  const may = useMay();
  const queries = useQueryClient();
  const [asking, setAsking] = useState(false);
  if (!may('deleteTemplate')) return null;
  const label = labelOf(template);
  const remove = async () => {
    await api.deleteTemplate({ id: device.id, templateId: template.id });
    await queries.invalidateQueries({ queryKey: ['devices'] });
    toastSuccess(t.deleted);
  };
  return (
    <>
      <Button
        look="ghost"
        size="iconSmall"
        className="text-muted"
        aria-label={t.delete(label)}
        onClick={() => setAsking(true)}
      >
        <Trash2 aria-hidden className="size-4" />
      </Button>
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        title={t.deleteTitle(label)}
        consequences={[
          ...Object.values(t.deleteEffects),
          ...(isDefault(device, template) ? [t.deleteDefault] : []),
        ]}
        action={common.delete}
        onConfirm={remove}
      />
    </>
  );
}

const none = '';

/** The API takes only an approved template with one variable. */
function DefaultTemplate({ device }: { device: Device }) {
  const t = useMessages(templatesMessages);
  const common = useMessages(commonMessages);
  const may = useMay();
  const queries = useQueryClient();
  const approved = useQuery(approvedTemplatesQuery(device.id)).data;
  const usable = approved?.filter(({ variables }) => variables === 1) ?? [];
  const chosen = device.default_template;
  const value = chosen === undefined ? none : labelOf(chosen);
  const save = useMutation({
    async mutationFn(label: string) {
      const template = usable.find((each) => labelOf(each) === label);
      const { name, language } = template ?? {};
      const wanted = name === undefined || language === undefined ? null : { name, language };
      await api.updateDevice({ id: device.id, default_template: wanted });
      await queries.invalidateQueries({ queryKey: ['devices'] });
    },
    onSuccess: () => toastSuccess(common.saved),
    onError: toastError,
  });
  const shown = save.isPending ? save.variables : value;
  const labels = new Set([...usable.map(labelOf), ...(shown === none ? [] : [shown])]);
  const isRefused =
    chosen !== undefined && approved !== undefined && !usable.some((each) => isDefault(device, each));
  return (
    <div className="border-t px-5 py-4">
      <Field label={t.default} hint={t.defaultHint}>
        <Select
          label={t.default}
          className="w-full max-w-md"
          value={shown}
          onChange={save.mutate}
          disabled={!may('updateDevice') || approved === undefined || save.isPending}
          choices={[
            { value: none, label: t.noDefault },
            ...[...labels].map((label) => ({ value: label, label })),
          ]}
        />
        {isRefused && (
          <p role="status" className="text-danger text-[0.8125rem]">
            {t.defaultRefused}
          </p>
        )}
      </Field>
    </div>
  );
}
