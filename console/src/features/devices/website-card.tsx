import type { Device, WebChat } from '@parley/sdk';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, issuesOf } from '../../api/client.ts';
import { useMay } from '../../app/use-may.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { CopyText } from '../../components/copy-text.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Card } from '../../components/ui/card.tsx';
import { Field, Input, Textarea } from '../../components/ui/field.tsx';
import { Switch } from '../../components/ui/switch.tsx';
import { toastSuccess } from '../../components/ui/toast.tsx';
import { commonMessages } from '../../i18n/common.messages.ts';
import { useMessages } from '../../i18n/use-locale.ts';
import { newId } from '../../lib/new-id.ts';
import { websiteMessages } from './website.messages.ts';
import { WebsitePreview } from './website-preview.tsx';

/** The line for the pages of a website, and how the chat on them looks. */
export function WebsiteCard({ device, chat }: { device: Device; chat: WebChat }) {
  const t = useMessages(websiteMessages);
  const may = useMay();
  return (
    <Card title={t.title} description={t.hint}>
      <div className="grid gap-5">
        <div className="grid gap-1.5">
          <p className="font-medium">{t.line}</p>
          <div className="rounded-lg border bg-hover p-3">
            <CopyText text={scriptTag(chat.site_key)} label={t.line} />
          </div>
          {chat.allowed_origins.length === 0 && <p role="status">{t.noOrigins}</p>}
          {may('updateDevice') && <ReplaceKey device={device} />}
        </div>
        {may('updateDevice') && <WebsiteForm key={JSON.stringify(chat)} device={device} chat={chat} />}
      </div>
    </Card>
  );
}

const scriptTag = (siteKey: string) =>
  `<script async src="${location.origin}/widget.js" data-site="${siteKey}"></script>`;

function ReplaceKey({ device }: { device: Device }) {
  const t = useMessages(websiteMessages);
  const queries = useQueryClient();
  const [asking, setAsking] = useState(false);
  const replace = async () => {
    const siteKey = `site_${newId().replaceAll('-', '')}`;
    await api.updateDevice({ id: device.id, web_chat: { site_key: siteKey } });
    await queries.invalidateQueries({ queryKey: ['devices'] });
    toastSuccess(t.replaced);
  };
  return (
    <>
      <Button className="justify-self-start" onClick={() => setAsking(true)}>
        {t.replaceKey}…
      </Button>
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        title={t.replaceTitle}
        consequences={Object.values(t.replaceEffects)}
        action={t.replaceKey}
        onConfirm={replace}
      />
    </>
  );
}

type Settings = Omit<WebChat, 'site_key' | 'visitor_secret' | 'allowed_origins'> & { origins: string };

function WebsiteForm({ device, chat }: { device: Device; chat: WebChat }) {
  const t = useMessages(websiteMessages);
  const common = useMessages(commonMessages);
  const queries = useQueryClient();
  const { allowed_origins: origins, site_key: _, visitor_secret: secret, ...stored } = chat;
  const [settings, setSettings] = useState<Settings>({ ...stored, origins: origins.join('\n') });
  const change = (changes: Partial<Settings>) => setSettings({ ...settings, ...changes });
  const save = useMutation({
    mutationFn() {
      const { origins: lines, ...others } = settings;
      const allowed_origins = [...new Set(lines.split(/\s+/).filter((line) => line !== ''))];
      return api.updateDevice({ id: device.id, web_chat: { ...others, allowed_origins } });
    },
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: ['devices'] });
      toastSuccess(common.saved);
    },
  });
  const issues = issuesOf(save.error);
  const issue = (name: string) =>
    Object.entries(issues).find(([path]) => path.startsWith(`web_chat.${name}`))?.[1];
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <div className="grid items-start gap-6 xl:grid-cols-[1fr_24rem]">
      <form onSubmit={submit} className="grid gap-5">
        <Field label={t.origins} hint={t.originsHint} error={issue('allowed_origins')}>
          <Textarea
            rows={3}
            spellCheck={false}
            value={settings.origins}
            onChange={(event) => change({ origins: event.target.value })}
          />
        </Field>
        <Field label={t.name} hint={t.nameHint} error={issue('title')}>
          <Input
            maxLength={60}
            value={settings.title}
            onChange={(event) => change({ title: event.target.value })}
          />
        </Field>
        <div className="flex items-start gap-2">
          <Field label={t.color} hint={t.colorHint} error={issue('color')} className="flex-1">
            <Input
              maxLength={7}
              placeholder="#0b5cad"
              value={settings.color}
              onChange={(event) => change({ color: event.target.value })}
            />
          </Field>
          <input
            type="color"
            aria-label={t.chooseColor}
            className="mt-6.5 size-9 shrink-0"
            value={/^#[0-9a-f]{6}$/i.test(settings.color) ? settings.color.toLowerCase() : '#0b5cad'}
            onChange={(event) => change({ color: event.target.value })}
          />
        </div>
        <Field label={t.greeting} hint={t.greetingHint} error={issue('greeting')}>
          <Textarea
            maxLength={500}
            value={settings.greeting}
            onChange={(event) => change({ greeting: event.target.value })}
          />
        </Field>
        <Switch
          label={t.signedOnly}
          hint={t.signedOnlyHint}
          checked={settings.signed_visitors_only}
          onChange={(signed_visitors_only) => change({ signed_visitors_only })}
        />
        {settings.signed_visitors_only && secret !== '' && (
          <div className="grid gap-1.5">
            <p className="font-medium">{t.secret}</p>
            <CopyText text={secret} label={t.secret} />
          </div>
        )}
        {save.error !== null && Object.keys(issues).length === 0 && <ErrorNotice error={save.error} />}
        <div className="flex justify-end">
          <Button type="submit" look="primary" busy={save.isPending}>
            {common.save}
          </Button>
        </div>
      </form>
      <WebsitePreview device={device} settings={settings} />
    </div>
  );
}
