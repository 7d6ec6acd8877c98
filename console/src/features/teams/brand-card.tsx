import type { Brand } from '@parley/sdk';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { api, issuesOf } from '../../api/client.ts';
import { brandQuery } from '../../app/brand.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Card } from '../../components/ui/card.tsx';
import { Field, Input } from '../../components/ui/field.tsx';
import { toastSuccess } from '../../components/ui/toast.tsx';
import { commonMessages } from '../../i18n/common.messages.ts';
import { useMessages } from '../../i18n/use-locale.ts';
import { brandMessages } from './brand.messages.ts';

/** What people of a team and their contacts see instead of the brand of the deployment. */
export function BrandCard({ team }: { team: string }) {
  const t = useMessages(brandMessages);
  const query = useQuery(brandQuery(team));
  return (
    <Card title={t.title} description={t.hint} className="max-w-3xl">
      <Loaded query={query}>
        {(brand) => <BrandForm key={brand.updated_at} team={team} brand={brand} />}
      </Loaded>
    </Card>
  );
}

function BrandForm({ team, brand }: { team: string; brand: Brand }) {
  const t = useMessages(brandMessages);
  const common = useMessages(commonMessages);
  const queries = useQueryClient();
  const [name, setName] = useState(brand.name ?? '');
  const [color, setColor] = useState(brand.color ?? '');
  const [sender, setSender] = useState(brand.sender_name ?? '');
  const [logo, setLogo] = useState(brand.logo);
  const save = useMutation({
    mutationFn: () =>
      api.putBrand({
        id: team,
        name: orNull(name),
        color: orNull(color),
        sender_name: orNull(sender),
        logo,
      }),
    onSuccess(saved) {
      queries.setQueryData(brandQuery(team).queryKey, saved);
      toastSuccess(common.saved);
    },
  });
  const issues = issuesOf(save.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <form onSubmit={submit} className="grid gap-5 sm:grid-cols-2">
      <Field label={t.name} hint={t.empty} error={issues['name']}>
        <Input maxLength={100} value={name} onChange={(event) => setName(event.target.value)} />
      </Field>
      <Field label={t.sender} hint={t.senderHint} error={issues['sender_name']}>
        <Input maxLength={100} value={sender} onChange={(event) => setSender(event.target.value)} />
      </Field>
      <div className="flex items-start gap-2">
        <Field label={t.color} hint={t.colorHint} error={issues['color']} className="flex-1">
          <Input
            maxLength={7}
            placeholder="#0b5cad"
            value={color}
            onChange={(event) => setColor(event.target.value)}
          />
        </Field>
        <input
          type="color"
          aria-label={t.chooseColor}
          className="mt-6.5 size-9 shrink-0"
          value={/^#[0-9a-f]{6}$/i.test(color) ? color.toLowerCase() : '#888888'}
          onChange={(event) => setColor(event.target.value)}
        />
      </div>
      <LogoField logo={logo} issue={issues['logo']} onChange={setLogo} />
      {save.error !== null && Object.keys(issues).length === 0 && <ErrorNotice error={save.error} />}
      <div className="flex justify-end sm:col-span-2">
        <Button type="submit" look="primary" busy={save.isPending}>
          {t.save}
        </Button>
      </div>
    </form>
  );
}

const maxBytes = 256 * 1024;

function LogoField({
  logo,
  issue,
  onChange,
}: {
  logo: string | null;
  issue: string | undefined;
  onChange: (logo: string | null) => void;
}) {
  const t = useMessages(brandMessages);
  const input = useRef<HTMLInputElement>(null);
  const [isTooLarge, setIsTooLarge] = useState(false);
  const choose = async (file: File | undefined) => {
    if (file === undefined) return;
    setIsTooLarge(file.size > maxBytes);
    if (file.size <= maxBytes) onChange(await toDataUri(file));
  };
  const problem = isTooLarge ? t.tooLarge : issue;
  return (
    <div className="grid content-start gap-1.5">
      <p className="font-medium">{t.logo}</p>
      <div className="flex flex-wrap items-center gap-2">
        {logo !== null && <img src={logo} alt={t.logo} className="h-9 max-w-32 object-contain" />}
        <Button onClick={() => input.current?.click()}>{t.choose}</Button>
        {logo !== null && (
          <Button look="ghost" onClick={() => onChange(null)}>
            {t.removeLogo}
          </Button>
        )}
      </div>
      <input
        ref={input}
        type="file"
        accept="image/png,image/jpeg,image/webp"
        aria-label={t.choose}
        className="hidden"
        onChange={(event) => {
          void choose(event.target.files?.[0]);
          event.target.value = '';
        }}
      />
      <p className="text-muted text-[0.8125rem]">{t.logoHint}</p>
      {problem !== undefined && (
        <p role="alert" className="text-danger text-[0.8125rem]">
          {problem}
        </p>
      )}
    </div>
  );
}

const orNull = (text: string): string | null => (text.trim() === '' ? null : text);

const toDataUri = (file: File): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
