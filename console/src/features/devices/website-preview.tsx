import type { Brand, Device, WebChat } from '@parley/sdk';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { brandQuery } from '../../app/brand.ts';
import { useMay } from '../../app/use-may.ts';
import { useLocale, useMessages } from '../../i18n/use-locale.ts';
import type { Chat } from '../../widget/chat-connection.ts';
import { pickMessages } from '../../widget/widget-messages.ts';
import { createWidget } from '../../widget/widget-view.ts';
import { websiteMessages } from './website.messages.ts';

type Look = Pick<WebChat, 'title' | 'color' | 'greeting'>;

/** The chat of a website as its visitors see it, with settings that may not be saved yet. */
export function WebsitePreview({ device, settings }: { device: Device; settings: Look }) {
  const t = useMessages(websiteMessages);
  const { locale } = useLocale();
  const place = useRef<HTMLDivElement>(null);
  const mayRead = useMay()('getBrand');
  const brand = useQuery({ ...brandQuery(device.team_id), enabled: mayRead }).data ?? null;
  const { title, color, greeting } = settings;
  const { name } = device;
  useEffect(() => {
    const visit = {
      visitor: '',
      title: title || brand?.name || name,
      color: [color, brand?.color].find(isColor) ?? '#0b5cad',
      greeting,
      has_logo: brand !== null && brand.logo !== null,
      open: null,
    };
    const { host, toggle } = createWidget({
      visit,
      chat: createSilentChat(brand),
      t: pickMessages([locale]),
    });
    host.style.position = 'absolute';
    place.current?.append(host);
    toggle(true, false);
    return () => host.remove();
  }, [title, color, greeting, brand, name, locale]);
  return (
    <section className="grid gap-1.5" aria-label={t.preview}>
      <h3 className="font-medium">{t.preview}</h3>
      <div ref={place} className="relative h-[41rem] overflow-hidden rounded-xl border bg-hover" />
      <p className="text-muted text-[0.8125rem]">{t.previewHint}</p>
    </section>
  );
}

const isColor = (color: string | null | undefined): color is string => /^#[0-9a-f]{6}$/i.test(color ?? '');

/** Sends nothing and hears nothing. */
const createSilentChat = (brand: Brand | null): Chat => ({
  remember: () => undefined,
  isKnown: () => false,
  write: async () => undefined,
  report: async () => undefined,
  follow: async () => undefined,
  async load() {
    const [, type = '', base64 = ''] = /^data:([\w/]+);base64,(.*)$/.exec(brand?.logo ?? '') ?? [];
    return new Blob([Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0))], { type });
  },
});
