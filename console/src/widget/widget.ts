import { connectChat, type Identity } from './chat-connection.ts';
import { pickMessages } from './widget-messages.ts';
import { createWidget } from './widget-view.ts';

// The script tag of a website: `<script async src="…/widget.js" data-site="…"></script>`, with `data-user` and `data-signature` for a signed
// visitor.

const script = document.currentScript as HTMLScriptElement | null;
if (script !== null) start(script);

function start({ src, dataset }: HTMLScriptElement): void {
  const { site = '', user, signature } = dataset;
  const identity = user !== undefined && signature !== undefined ? { id: user, signature } : null;
  const open = () => void openWidget(new URL(src).origin, site, identity);
  if (document.body === null) addEventListener('DOMContentLoaded', open, { once: true });
  else open();
}

async function openWidget(address: string, site: string, identity: Identity | null): Promise<void> {
  const chat = connectChat(address, site, identity);
  // A website that is not listed, or a stopped device, shows nothing.
  const visit = await chat.visit().catch(() => null);
  if (visit === null) return;
  const t = pickMessages([document.documentElement.lang, ...navigator.languages].filter(Boolean));
  document.body.append(createWidget({ visit, chat, t }).host);
}
