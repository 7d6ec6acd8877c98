import type { MailKind } from './mails.queries.ts';

/** How mails look. `color` is six hexadecimal digits after #. */
export interface MailBrand {
  name: string;
  color: string;
  senderName: string;
}

export const mailLanguages = ['en', 'es', 'pt', 'de'] as const;
type Language = (typeof mailLanguages)[number];

/** What an alert says, in its language, and where it leads below `/console`. */
interface AlertText {
  text: string;
  path: string;
}

interface Texts {
  subject: string;
  intro: string;
  /** The words of the link. Absent for a code. */
  button?: string;
  /** How long the link or the code works. */
  lifetime: string;
  ignore: string;
}

interface Words {
  brand: string;
  /** The team that invites, or the deployment. */
  inviter: string;
  code: string;
  until: string;
  alert: string;
}

const texts: Record<Language, (words: Words) => Record<MailKind, Texts>> = {
  en: ({ brand, inviter, code, until, alert }) => ({
    invitation: {
      subject: `Invitation to ${inviter}`,
      intro: `${inviter} invites you to ${brand}. Choose a password to begin.`,
      button: 'Accept the invitation',
      lifetime: `The link works once, until ${until}.`,
      ignore: 'If you expected no invitation, ignore this mail.',
    },
    code: {
      subject: `${code} is your code for ${brand}`,
      intro: `Your code to sign in to ${brand}:`,
      lifetime: 'It works once, for 10 minutes. Give it to no one.',
      ignore: 'If you did not ask for it, ignore this mail.',
    },
    recovery: {
      subject: `New password for ${brand}`,
      intro: `Somebody asked for a new password for ${brand}.`,
      button: 'Choose a new password',
      lifetime: 'The link works once, for an hour.',
      ignore: 'If it was not you, ignore this mail. Your password stays as it is.',
    },
    alert: {
      subject: alert,
      intro: `${alert}.`,
      button: 'Open',
      lifetime: `At ${inviter}.`,
      ignore: 'Choose in My account what you hear of, and when.',
    },
    device_link: {
      subject: `Connect a phone or an account with ${inviter}`,
      intro: `${inviter} asks you to connect a phone or an account for messages. This page shows how. For a phone, open it on the phone, or on a computer beside it.`,
      button: 'Connect',
      lifetime: `The page works for one phone or account, until ${until}. A newer one replaces it.`,
      ignore: 'If you expected no such mail, ignore it, and do not pass it on.',
    },
  }),
  es: ({ brand, inviter, code, until, alert }) => ({
    invitation: {
      subject: `Invitación a ${inviter}`,
      intro: `${inviter} le invita a ${brand}. Elija una contraseña para empezar.`,
      button: 'Aceptar la invitación',
      lifetime: `El enlace funciona una vez, hasta el ${until}.`,
      ignore: 'Si no esperaba ninguna invitación, ignore este mensaje.',
    },
    code: {
      subject: `${code} es su código para ${brand}`,
      intro: `Su código para entrar en ${brand}:`,
      lifetime: 'Funciona una vez, durante 10 minutos. No lo comparta con nadie.',
      ignore: 'Si no lo ha pedido, ignore este mensaje.',
    },
    recovery: {
      subject: `Nueva contraseña para ${brand}`,
      intro: `Alguien ha pedido una nueva contraseña para ${brand}.`,
      button: 'Elegir una nueva contraseña',
      lifetime: 'El enlace funciona una vez, durante una hora.',
      ignore: 'Si no ha sido usted, ignore este mensaje. Su contraseña no cambia.',
    },
    alert: {
      subject: alert,
      intro: `${alert}.`,
      button: 'Abrir',
      lifetime: `En ${inviter}.`,
      ignore: 'En Mi cuenta puede elegir de qué se le avisa y cuándo.',
    },
    device_link: {
      subject: `Conecte un teléfono o una cuenta con ${inviter}`,
      intro: `${inviter} le pide que conecte un teléfono o una cuenta de mensajes. Esta página le muestra cómo. Para un teléfono, ábrala en él o en un ordenador a su lado.`,
      button: 'Conectar',
      lifetime: `La página sirve para un teléfono o una cuenta, hasta el ${until}. Una nueva la sustituye.`,
      ignore: 'Si no esperaba este mensaje, ignórelo y no lo reenvíe.',
    },
  }),
  pt: ({ brand, inviter, code, until, alert }) => ({
    invitation: {
      subject: `Convite para ${inviter}`,
      intro: `${inviter} convida você para ${brand}. Escolha uma senha para começar.`,
      button: 'Aceitar o convite',
      lifetime: `O link funciona uma vez, até ${until}.`,
      ignore: 'Se você não esperava um convite, ignore esta mensagem.',
    },
    code: {
      subject: `${code} é o seu código para ${brand}`,
      intro: `Seu código para entrar em ${brand}:`,
      lifetime: 'Funciona uma vez, por 10 minutos. Não o passe a ninguém.',
      ignore: 'Se você não o pediu, ignore esta mensagem.',
    },
    recovery: {
      subject: `Nova senha para ${brand}`,
      intro: `Alguém pediu uma nova senha para ${brand}.`,
      button: 'Escolher uma nova senha',
      lifetime: 'O link funciona uma vez, por uma hora.',
      ignore: 'Se não foi você, ignore esta mensagem. Sua senha continua a mesma.',
    },
    alert: {
      subject: alert,
      intro: `${alert}.`,
      button: 'Abrir',
      lifetime: `Em ${inviter}.`,
      ignore: 'Em Minha conta, escolha sobre o que e quando quer receber avisos.',
    },
    device_link: {
      subject: `Conecte um telefone ou uma conta com ${inviter}`,
      intro: `${inviter} pede que você conecte um telefone ou uma conta de mensagens. Esta página mostra como. Para um telefone, abra-a nele ou em um computador ao lado.`,
      button: 'Conectar',
      lifetime: `A página serve para um telefone ou uma conta, até ${until}. Uma nova a substitui.`,
      ignore: 'Se você não esperava esta mensagem, ignore-a e não a encaminhe.',
    },
  }),
  de: ({ brand, inviter, code, until, alert }) => ({
    invitation: {
      subject: `Einladung zu ${inviter}`,
      intro: `${inviter} lädt Sie zu ${brand} ein. Wählen Sie zuerst ein Passwort.`,
      button: 'Einladung annehmen',
      lifetime: `Der Link gilt einmal, bis ${until}.`,
      ignore: 'Wenn Sie keine Einladung erwarten, ignorieren Sie diese Mail.',
    },
    code: {
      subject: `${code} ist Ihr Code für ${brand}`,
      intro: `Ihr Code zum Anmelden bei ${brand}:`,
      lifetime: 'Er gilt einmal, 10 Minuten lang. Geben Sie ihn niemandem.',
      ignore: 'Wenn Sie ihn nicht angefordert haben, ignorieren Sie diese Mail.',
    },
    recovery: {
      subject: `Neues Passwort für ${brand}`,
      intro: `Jemand hat ein neues Passwort für ${brand} angefordert.`,
      button: 'Neues Passwort wählen',
      lifetime: 'Der Link gilt einmal, eine Stunde lang.',
      ignore: 'Wenn Sie es nicht waren, ignorieren Sie diese Mail. Ihr Passwort bleibt, wie es ist.',
    },
    alert: {
      subject: alert,
      intro: `${alert}.`,
      button: 'Öffnen',
      lifetime: `Bei ${inviter}.`,
      ignore: 'Unter Mein Konto wählen Sie, wovon und wann Sie hören.',
    },
    device_link: {
      subject: `Verbinden Sie ein Telefon oder ein Konto mit ${inviter}`,
      intro: `${inviter} bittet Sie, ein Telefon oder ein Konto für Nachrichten zu verbinden. Diese Seite zeigt, wie es geht. Öffnen Sie sie für ein Telefon dort oder auf einem Computer daneben.`,
      button: 'Verbinden',
      lifetime: `Die Seite gilt für ein Telefon oder ein Konto, bis ${until}. Eine neuere ersetzt sie.`,
      ignore: 'Wenn Sie keine solche Mail erwarten, ignorieren Sie sie, und geben Sie sie nicht weiter.',
    },
  }),
};

const pages = { invitation: 'invitation', recovery: 'reset', device_link: 'link' };

/** The address of a mail. Browsers send no fragment, so the token stays out of logs. */
function targetOf(kind: MailKind, secret: string, baseUrl: string): string {
  const page = `${baseUrl.replace(/\/$/, '')}/console`;
  if (kind === 'code') return secret;
  if (kind === 'alert') return page + readAlert(secret).path;
  return `${page}/${pages[kind]}#${secret}`;
}

const readAlert = (secret: string): AlertText => JSON.parse(secret);

export interface MailContent {
  subject: string;
  text: string;
  html: string;
}

/** Writes in the first of the four languages that the tag names, or in English. Names of teams and brands are only ever text. */
export function writeMail({
  kind,
  secret,
  team,
  expiresAt,
  language: tag,
  baseUrl,
  brand,
}: {
  kind: MailKind;
  secret: string;
  team: string | null;
  expiresAt: Date;
  language: string;
  baseUrl: string;
  brand: MailBrand;
}): MailContent {
  const language = mailLanguages.find((known) => known === tag.toLowerCase().split('-')[0]) ?? 'en';
  const until = new Intl.DateTimeFormat(language, {
    dateStyle: 'long',
    timeStyle: 'short',
    timeZone: 'UTC',
  }).format(expiresAt);
  const words = {
    brand: brand.name,
    inviter: team ?? brand.name,
    code: secret,
    until: `${until} UTC`,
    alert: kind === 'alert' ? readAlert(secret).text : '',
  };
  const { subject, intro, button, lifetime, ignore } = texts[language](words)[kind];
  const target = targetOf(kind, secret, baseUrl);
  const text = [intro, target, lifetime, ignore, `-- \n${brand.name}`].join('\n\n');
  const shown =
    button === undefined
      ? `<p style="font-size:28px;letter-spacing:4px;font-weight:bold">${escapeHtml(secret)}</p>`
      : `<p><a href="${escapeHtml(target)}" style="display:inline-block;padding:10px 18px;border:2px solid ${escapeHtml(brand.color)};border-radius:6px;color:#1a1a1a;font-weight:bold;text-decoration:none">${escapeHtml(button)}</a></p>
<p style="color:#555555;word-break:break-all">${escapeHtml(target)}</p>`;
  const html = `<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head>
<body style="font-family:sans-serif;color:#1a1a1a;background:#ffffff;line-height:1.5;max-width:36em">
<p style="border-bottom:3px solid ${escapeHtml(brand.color)};padding-bottom:6px;font-weight:bold">${escapeHtml(brand.name)}</p>
<p>${escapeHtml(intro)}</p>
${shown}
<p>${escapeHtml(lifetime)}</p>
<p style="color:#555555">${escapeHtml(ignore)}</p>
</body></html>`;
  return { subject, text, html };
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '');
