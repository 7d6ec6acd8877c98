import type { Chat, ChatMessage, Person } from './chat-connection.ts';
import { type Child, make } from './elements.ts';
import type { WidgetMessages } from './widget-messages.ts';

interface Rendering {
  t: WidgetMessages;
  chat: Pick<Chat, 'load'>;
  /** Who takes care of the chat. */
  person: Person | null;
  /** Shown for people whose name is not known. */
  title: string;
}

export function renderMessage(
  { id, own, person, kind, text }: ChatMessage,
  { t, chat, person: staff, title }: Rendering,
): HTMLElement {
  const bubble = make('div', { class: own ? 'm own' : 'm' });
  if (person) {
    const who = make('span', { class: 'who' }, staff?.name ?? title);
    if (staff !== null) who.prepend(renderPicture(staff, chat));
    bubble.append(who);
  }
  if (kind !== 'text') {
    const place = make('span', {}, '…');
    bubble.append(place);
    chat.load(`media/${id}`).then(
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

/** The picture of a person, or the first letter of the name. */
export function renderPicture({ id, name, has_picture }: Person, chat: Pick<Chat, 'load'>): HTMLElement {
  const place = make('span', { class: 'picture', 'aria-hidden': 'true' }, name.trim().slice(0, 1));
  if (has_picture) showImage(place, chat.load(`people/${id}/picture`));
  return place;
}

/** Puts the picture into the place once it is loaded. */
export function showImage(place: HTMLElement, loading: Promise<Blob>): void {
  loading.then(
    (blob) => place.replaceChildren(make('img', { src: URL.createObjectURL(blob), alt: '' })),
    () => undefined,
  );
}
