import { newId } from '../lib/new-id.ts';
import { type Chat, type ChatMessage, type ChatState, Refused, type Visit } from './chat-connection.ts';
import { balloon, clip, icon, isBright, make } from './elements.ts';
import { renderMessage, renderPicture, showImage } from './render-message.ts';
import type { WidgetMessages } from './widget-messages.ts';
import { widgetStyle } from './widget-style.ts';

const maxFileBytes = 5 * 1024 * 1024;

interface Widget {
  host: HTMLElement;
  /** `focus`: moves the focus into the chat. */
  toggle(open: boolean, focus?: boolean): void;
}

/** The chat as an element for the end of a page. */
export function createWidget({ visit, chat, t }: { visit: Visit; chat: Chat; t: WidgetMessages }): Widget {
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
  const who = make('div', { class: 'head-who', role: 'status' });
  const logo = make('span', { class: 'logo' });
  if (visit.has_logo) showImage(logo, chat.load('logo'));
  const head = make('div', { class: 'head' }, make('h2', {}, visit.title), who);
  const panel = make(
    'section',
    { class: 'panel', role: 'dialog', 'aria-label': visit.title, hidden: '' },
    make('header', {}, logo, head, close),
    log,
    note,
    mailForm,
    form,
  );
  root.append(panel, launch);

  const shown = new Map<string, HTMLElement>();
  const unread = new Set<string>();
  let state: ChatState = {
    typing: false,
    waits_for_person: false,
    nobody_there: false,
    person: null,
    read_at: null,
  };
  /** The newest message of the visitor, until somebody answers it. */
  let asked: ChatMessage | null = null;
  const receipt = make('div', { class: 'state', hidden: '' });
  let problem = '';
  let mailSent = false;
  let following = false;
  let shownPerson: string | undefined;

  addBubble(make('div', { class: 'm' }, visit.greeting || t.greeting));

  function addBubble(bubble: HTMLElement): void {
    const atEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 80;
    log.append(bubble);
    if (atEnd || bubble.classList.contains('own')) log.scrollTop = log.scrollHeight;
  }

  function describe(): void {
    note.textContent =
      problem ||
      (state.typing ? `${state.person?.name ?? visit.title} ${t.typing}` : '') ||
      (state.waits_for_person && !state.nobody_there ? t.person : '');
    mailForm.hidden = mailSent || !state.waits_for_person || !state.nobody_there;
    const { person, read_at: readAt } = state;
    receipt.hidden = asked === null;
    receipt.textContent =
      asked !== null && readAt !== null && Date.parse(readAt) >= Date.parse(asked.at) ? t.read : t.sent;
    if (person?.id === shownPerson && shownPerson !== undefined) return;
    shownPerson = person?.id;
    if (person === null) who.textContent = visit.open === null ? '' : visit.open ? t.isOpen : t.isClosed;
    else who.replaceChildren(renderPicture(person, chat), person.name);
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
    const bubble = renderMessage(message, { t, chat, person: state.person, title: visit.title });
    shown.set(id, bubble);
    asked = own ? message : null;
    if (pending !== undefined) {
      if (pending.nextElementSibling?.classList.contains('state')) pending.nextElementSibling.remove();
      pending.replaceWith(bubble);
    } else addBubble(bubble);
    if (own) bubble.after(receipt);
    describe();
    if (own) return;
    unread.add(id);
    if (panel.hidden || document.hidden) void chat.report([id], 'delivered');
    countUnread();
    readAll();
  }

  function follow(): void {
    if (following) return;
    following = true;
    document.addEventListener('visibilitychange', readAll);
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
    const id = newId();
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

  function toggle(open: boolean, focus = true): void {
    panel.hidden = !open;
    launch.setAttribute('aria-expanded', String(open));
    launch.setAttribute('aria-label', open ? t.close : t.open);
    if (focus) (open ? input : launch).focus();
    if (!open) return;
    log.scrollTop = log.scrollHeight;
    readAll();
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
    if (problem !== '') return;
    encode(chosen).then(
      (attached) => write('', attached),
      () => {
        problem = t.failed;
        describe();
      },
    );
  });
  describe();
  if (chat.isKnown()) follow();
  return { host, toggle };
}

async function encode(file: File): Promise<{ name: string; type: string; base64: string }> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let binary = '';
  for (let at = 0; at < bytes.length; at += 32_768)
    binary += String.fromCharCode(...bytes.subarray(at, at + 32_768));
  return { name: file.name.slice(0, 200), type: file.type.slice(0, 100), base64: btoa(binary) };
}
