import { type ChatMessage, type ChatState, connectChat, type Identity, Refused } from './chat-connection.ts';
import { pickMessages } from './widget-messages.ts';
import { widgetStyle } from './widget-style.ts';

// The script tag of a website: `<script async src="…/widget.js" data-site="…"></script>`, with `data-user` and `data-signature` for a signed
// visitor.

const script = document.currentScript as HTMLScriptElement | null;
if (script !== null) start(script);

const maxFileBytes = 5 * 1024 * 1024;

function start({ src, dataset }: HTMLScriptElement): void {
  const { site = '', user, signature } = dataset;
  const identity = user !== undefined && signature !== undefined ? { id: user, signature } : null;
  const open = () => void openWidget(new URL(src).origin, site, identity);
  if (document.body === null) addEventListener('DOMContentLoaded', open, { once: true });
  else open();
}

type Child = Node | string;

function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string>> = {},
  ...children: Child[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

async function openWidget(address: string, site: string, identity: Identity | null): Promise<void> {
  const chat = connectChat(address, site, identity);
  // A website that is not listed, or a stopped device, shows nothing.
  const visit = await chat.visit().catch(() => null);
  if (visit === null) return;
  const t = pickMessages([document.documentElement.lang, ...navigator.languages].filter(Boolean));
  const host = make('div', { 'data-parley-chat': '' });
  const root = host.attachShadow({ mode: 'open' });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(widgetStyle);
  root.adoptedStyleSheets = [sheet];
  host.style.setProperty('--brand', visit.color);
  host.style.setProperty('--on', isBright(visit.color) ? '#000' : '#fff');

  const badge = make('span', { class: 'badge', hidden: '' });
  const launch = make(
    'button',
    { class: 'launch', type: 'button', 'aria-expanded': 'false', 'aria-label': t.open },
    icon(balloon),
    badge,
  );
  const log = make('div', {
    class: 'log',
    role: 'log',
    'aria-live': 'polite',
    'aria-label': visit.title,
    tabindex: '0',
  });
  const note = make('div', { class: 'note', role: 'status' });
  const input = make('textarea', {
    rows: '1',
    maxlength: '4096',
    'aria-label': t.write,
    placeholder: t.write,
  });
  const file = make('input', { type: 'file', tabindex: '-1', 'aria-label': t.attach });
  const attach = make('button', { type: 'button', 'aria-label': t.attach, title: t.attach }, icon(clip));
  const form = make(
    'form',
    {},
    attach,
    file,
    input,
    make('button', { class: 'send', type: 'submit' }, t.send),
  );
  const mail = make('input', {
    type: 'email',
    required: '',
    maxlength: '200',
    autocomplete: 'email',
    id: 'mail',
  });
  const mailForm = make(
    'form',
    { class: 'mail', hidden: '' },
    make('label', { for: 'mail' }, t.mail),
    mail,
    make('button', { class: 'send', type: 'submit' }, t.send),
  );
  mail.setAttribute('aria-label', t.mailLabel);
  const close = make('button', { type: 'button', 'aria-label': t.close }, '✕');
  const heading = make('h2', {}, visit.title);
  const panel = make(
    'section',
    { class: 'panel', role: 'dialog', 'aria-label': visit.title, hidden: '' },
    make('header', {}, heading, close),
    log,
    note,
    mailForm,
    form,
  );
  root.append(panel, launch);
  document.body.append(host);

  const shown = new Map<string, HTMLElement>();
  const unread = new Set<string>();
  let state: ChatState = { typing: false, waits_for_person: false, person: null };
  let problem = '';
  let mailSent = false;
  let following = false;

  addBubble(make('div', { class: 'm' }, visit.greeting || t.greeting));

  function addBubble(bubble: HTMLElement): void {
    const atEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 80;
    log.append(bubble);
    if (atEnd || bubble.classList.contains('own')) log.scrollTop = log.scrollHeight;
  }

  function describe(): void {
    note.textContent =
      problem ||
      (state.typing ? `${state.person ?? visit?.title} ${t.typing}` : state.waits_for_person ? t.person : '');
    mailForm.hidden = mailSent || !state.waits_for_person;
  }

  function readAll(): void {
    if (panel.hidden || document.hidden || unread.size === 0) return;
    void chat.report([...unread], 'read');
    unread.clear();
    countUnread();
  }

  function countUnread(): void {
    badge.hidden = unread.size === 0;
    badge.textContent = String(unread.size);
  }

  function show(message: ChatMessage): void {
    const { id, own, client_id: clientId } = message;
    if (shown.has(id)) return;
    const pending = clientId === null ? undefined : shown.get(clientId);
    const bubble = renderMessage(message, { t, chat, person: state.person ?? visit?.title ?? '' });
    shown.set(id, bubble);
    if (pending !== undefined) {
      pending.nextElementSibling?.classList.contains('state') && pending.nextElementSibling.remove();
      pending.replaceWith(bubble);
      return;
    }
    addBubble(bubble);
    if (own) return;
    unread.add(id);
    if (panel.hidden || document.hidden) void chat.report([id], 'delivered');
    countUnread();
    readAll();
  }

  function follow(): void {
    if (following) return;
    following = true;
    void chat.follow({
      message: show,
      state(next) {
        state = next;
        describe();
      },
      online(online) {
        problem = online ? '' : t.offline;
        describe();
      },
    });
  }

  async function write(
    text: string,
    attached: { name: string; type: string; base64: string } | null,
  ): Promise<void> {
    const id = crypto.randomUUID();
    const bubble = make('div', { class: 'm own' }, attached === null ? text : attached.name);
    const status = make('div', { class: 'state' }, t.sending);
    shown.set(id, bubble);
    addBubble(bubble);
    addBubble(status);
    const send = async () => {
      status.textContent = t.sending;
      try {
        await chat.write({ id, text, ...(attached !== null && { file: attached }) });
        status.textContent = t.sent;
        chat.remember();
        follow();
      } catch (error) {
        const again = make('button', { type: 'button' }, t.failed);
        again.addEventListener('click', () => void send());
        status.replaceChildren(again);
        problem = error instanceof Refused && error.status === 429 ? t.wait : '';
        describe();
      }
    };
    await send();
  }

  function toggle(open: boolean): void {
    panel.hidden = !open;
    launch.setAttribute('aria-expanded', String(open));
    launch.setAttribute('aria-label', open ? t.close : t.open);
    if (open) {
      input.focus();
      log.scrollTop = log.scrollHeight;
      readAll();
    } else launch.focus();
  }

  launch.addEventListener('click', () => toggle(panel.hidden !== false));
  close.addEventListener('click', () => toggle(false));
  panel.addEventListener('keydown', ({ key }) => key === 'Escape' && toggle(false));
  input.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    form.requestSubmit();
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const text = input.value.trim();
    if (text === '') return;
    input.value = '';
    void write(text, null);
  });
  mailForm.addEventListener('submit', (event) => {
    event.preventDefault();
    mailSent = true;
    describe();
    void write(mail.value.trim(), null);
  });
  attach.addEventListener('click', () => file.click());
  file.addEventListener('change', () => {
    const [chosen] = file.files ?? [];
    file.value = '';
    if (chosen === undefined) return;
    problem = chosen.size > maxFileBytes ? t.large : '';
    describe();
    if (problem === '') void encode(chosen).then((attached) => write('', attached));
  });
  document.addEventListener('visibilitychange', readAll);
  if (chat.isKnown()) follow();
}

interface Rendering {
  t: ReturnType<typeof pickMessages>;
  chat: Pick<ReturnType<typeof connectChat>, 'loadMedium'>;
  person: string;
}

function renderMessage(
  { id, own, person, kind, text }: ChatMessage,
  { t, chat, person: name }: Rendering,
): HTMLElement {
  const bubble = make('div', { class: own ? 'm own' : 'm' });
  if (person) bubble.append(make('span', { class: 'who' }, name));
  if (kind !== 'text') {
    const place = make('span', {}, '…');
    bubble.append(place);
    chat.loadMedium(id).then(
      (blob) => place.replaceWith(renderMedium(kind, URL.createObjectURL(blob), text || t.file)),
      () => place.replaceWith(text || t.file),
    );
    if (kind === 'document') return bubble;
  }
  bubble.append(...renderText(text));
  return bubble;
}

function renderMedium(kind: ChatMessage['kind'], url: string, name: string): HTMLElement {
  if (kind === 'image') return make('img', { src: url, alt: name });
  if (kind === 'voice') return make('audio', { src: url, controls: '' });
  return make('a', { href: url, download: name }, name);
}

/** The notation of the bots' answers: `*bold*`, `_italic_`, and addresses. */
function renderText(text: string): Child[] {
  return text
    .split(/(https?:\/\/[^\s<>"]+[^\s<>".,;:!?)]|\*[^*\n]+\*|(?<!\w)_[^_\n]+_(?!\w))/)
    .map((part) => {
      if (/^https?:\/\/./.test(part))
        return make('a', { href: part, target: '_blank', rel: 'noopener noreferrer' }, part);
      if (/^\*[^*]+\*$/.test(part)) return make('strong', {}, part.slice(1, -1));
      if (/^_[^_]+_$/.test(part)) return make('em', {}, part.slice(1, -1));
      return part;
    });
}

async function encode(file: File): Promise<{ name: string; type: string; base64: string }> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let binary = '';
  for (let at = 0; at < bytes.length; at += 32_768)
    binary += String.fromCharCode(...bytes.subarray(at, at + 32_768));
  return { name: file.name.slice(0, 200), type: file.type.slice(0, 100), base64: btoa(binary) };
}

/** Whether black is easier to read on the colour than white. */
function isBright(color: string): boolean {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179;
}

const balloon = 'M4 3h16a2 2 0 0 1 2 2v11a2 2 0 0 1-2 2h-8l-5 4v-4H4a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2z';
const clip = 'M20 11l-8.5 8.5a5 5 0 0 1-7-7L13 4a3.4 3.4 0 0 1 5 5l-8.5 8.5a1.7 1.7 0 0 1-2.5-2.5L15 7';

function icon(shape: string): SVGSVGElement {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  path.setAttribute('d', shape);
  svg.append(path);
  return svg;
}
