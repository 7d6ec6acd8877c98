import type { Disclosure } from '../../tenancy/teams/disclosure.ts';
import type { ReplyLanguage } from './canned-replies.ts';

/** Says that a machine answers, and for whom, as Regulation (EU) 2024/1689, Article 50(1), demands. */
const texts: Record<ReplyLanguage, string> = {
  en: 'Hi, I am the automatic assistant of {name}.',
  es: 'Hola, soy el asistente automático de {name}.',
  pt: 'Olá, sou o assistente automático de {name}.',
  de: 'Hallo, ich bin der automatische Assistent von {name}.',
  fr: 'Bonjour, je suis l’assistant automatique de {name}.',
  it: 'Ciao, sono l’assistente automatico di {name}.',
  nl: 'Hallo, ik ben de automatische assistent van {name}.',
  pl: 'Cześć, jestem automatycznym asystentem {name}.',
  tr: 'Merhaba, ben {name} otomatik asistanıyım.',
  ru: 'Здравствуйте, я автоматический помощник {name}.',
  uk: 'Вітаю, я автоматичний помічник {name}.',
  ar: 'مرحبًا، أنا المساعد الآلي لـ {name}.',
  he: 'שלום, כאן העוזר האוטומטי של {name}.',
  hi: 'नमस्ते, मैं {name} का स्वचालित सहायक हूँ।',
  id: 'Halo, saya asisten otomatis dari {name}.',
  zh: '您好，我是{name}的自动助手。',
  ja: 'こんにちは、{name}の自動アシスタントです。',
  ko: '안녕하세요, {name}의 자동 도우미입니다.',
};

/** Returns whether another bot of this program may have written a message, with a notice in the default words. */
export const startsWithNotice = (message: string): boolean =>
  Object.values(texts).some((text) => {
    const [before = '', after = ''] = text.split('{name}');
    return message.startsWith(before) && message.slice(before.length, 300).includes(after);
  });

export interface NoticeContext {
  teamName: string;
  /** Of the team. Null: the default of the deployment. */
  disclosure: Disclosure | null;
  /** Whether an answer to the contact carried the notice. */
  noticed: boolean;
  /** Milliseconds since the last answer to the contact. Null: there is none. */
  silentMs: number | null;
}

const dayMs = 86_400_000;
const defaultDays = 30;

/** Returns the notice that the next answer must carry, or null. */
export function findNotice(
  { teamName, disclosure, noticed, silentMs }: NoticeContext,
  { byDefault, language }: { byDefault: Disclosure; language: string },
): string | null {
  const { mode, after_days: days = defaultDays, texts: own = {} } = disclosure ?? byDefault;
  if (mode === 'off') return null;
  const longestMs = (mode === 'every_conversation' ? 1 : days) * dayMs;
  if (noticed && silentMs !== null && silentMs < longestMs) return null;
  const base = language.split('-')[0]?.toLowerCase() ?? '';
  const text = own[base] ?? texts[base as ReplyLanguage] ?? own['en'] ?? texts.en;
  return text.replaceAll('{name}', () => teamName);
}
