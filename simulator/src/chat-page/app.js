import { renderMessage } from './messages.js';
import { chatMessages, linkedPhones, scan, write } from './network.js';

const POLL_MS = 1_000;
const byId = (id) => document.getElementById(id);
const address = new URLSearchParams(location.search);

/** The open chat; null while another panel is shown. */
let chat = null;

function show(panel) {
  for (const id of ['link', 'choose', 'chat']) byId(id).hidden = id !== panel;
}

/** Shows the chat and puts it in the address, so that a reload shows it again. */
function openChat(device, contact) {
  history.replaceState(null, '', `simulator?${new URLSearchParams({ device, contact })}`);
  byId('title').textContent = device;
  byId('subtitle').textContent = `You are ${contact}`;
  byId('messages').replaceChildren();
  byId('unsent').textContent = '';
  chat = { device, contact, shown: new Set() };
  show('chat');
  byId('text').focus();
  poll(chat);
}

async function poll(polled) {
  try {
    await refresh(polled);
    if (polled === chat) byId('state').textContent = '';
  } catch (error) {
    if (polled === chat) byId('state').textContent = `Not up to date: ${error.message}`;
  }
  if (polled === chat) setTimeout(() => poll(polled), POLL_MS);
}

async function refresh(polled) {
  const { device, contact, shown } = polled;
  const messages = await chatMessages(device, contact);
  if (polled !== chat) return;
  const list = byId('messages');
  const atEnd = list.scrollTop + list.clientHeight >= list.scrollHeight - 40;
  const fresh = messages.filter(({ direction, id }) => !shown.has(`${direction} ${id}`));
  for (const message of fresh) {
    shown.add(`${message.direction} ${message.id}`);
    list.append(renderMessage(message, device, contact));
  }
  if (fresh.length > 0 && atEnd) list.lastElementChild.scrollIntoView({ block: 'end' });
}

async function chooseChat(device = '', contact = '') {
  chat = null;
  show('choose');
  const form = byId('choose-form');
  const phones = await linkedPhones().catch(() => []);
  byId('linked').replaceChildren(...phones.map((phone) => new Option('', phone.phone_number)));
  form.elements.device.value ||= device || phones[0]?.phone_number || '';
  form.elements.contact.value ||= contact || randomNumber();
}

function randomNumber() {
  return `+1555${String(crypto.getRandomValues(new Uint32Array(1))[0] % 1e7).padStart(7, '0')}`;
}

byId('link-form').addEventListener('submit', async (event) => {
  event.preventDefault();
  const form = event.target;
  const button = form.querySelector('button');
  const errorText = form.querySelector('.error');
  button.disabled = true;
  errorText.textContent = '';
  try {
    const phone = form.elements.phone.value;
    await scan(address.get('qr'), phone);
    history.replaceState(null, '', 'simulator');
    await chooseChat(phone);
  } catch (error) {
    errorText.textContent = error.message;
  } finally {
    button.disabled = false;
  }
});

byId('choose-form').addEventListener('submit', (event) => {
  event.preventDefault();
  const { device, contact } = event.target.elements;
  openChat(device.value, contact.value);
});

byId('back').addEventListener('click', () => chooseChat());

byId('write-form').addEventListener('submit', async (event) => {
  event.preventDefault();
  const written = chat;
  const { device, contact } = written;
  const text = byId('text').value.trim();
  const file = byId('attachment').files[0];
  if (!text && !file) return;
  const asOwner = byId('as-owner').checked;
  byId('unsent').textContent = '';
  try {
    await write({ from: asOwner ? device : contact, to: asOwner ? contact : device, text, file });
  } catch (error) {
    byId('unsent').textContent = `Not sent: ${error.message}`;
    return;
  }
  byId('text').value = '';
  byId('attachment').value = '';
  byId('text').placeholder = 'Message';
  // If this fails, the next poll reports the error.
  await refresh(written).catch(() => {});
  byId('messages').lastElementChild?.scrollIntoView({ block: 'end' });
});

byId('attachment').addEventListener('change', (event) => {
  const file = event.target.files[0];
  byId('text').placeholder = file ? file.name : 'Message';
});

byId('text').addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  byId('write-form').requestSubmit();
});

if (address.has('qr')) {
  byId('link-form').elements.phone.value = randomNumber();
  show('link');
} else if (address.has('device') && address.has('contact')) {
  openChat(address.get('device'), address.get('contact'));
} else {
  chooseChat(address.get('device') ?? '', address.get('contact') ?? '');
}
