/** Calls the simulated network. Each function rejects with a message for the user. */

async function call(path, options) {
  const response = await fetch(`simulator/${path}`, options);
  const answer = await response.json();
  if (!answer.success) throw new Error(answer.error);
  return answer.data;
}

function post(path, body) {
  return call(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
}

/** Links this phone to the device that showed the code. */
export function scan(qr, phone) {
  return post('scan', { qr, phone_number: phone });
}

export function linkedPhones() {
  return call('phones');
}

export function chatMessages(device, contact) {
  return call(`messages?${new URLSearchParams({ device, contact })}`);
}

/** Sends a text, or a file with the text as caption. A recording has no caption, so its text is sent first. */
export async function write({ from, to, text, file }) {
  const member = file && memberFor(file.type);
  if (text && (!file || member === 'audio_base64')) await post('messages', { from, to, text });
  if (!file) return;
  const caption = text && member !== 'audio_base64' ? { text } : {};
  const name = member === 'document_base64' ? { file_name: file.name } : {};
  await post('messages', { from, to, ...caption, ...name, [member]: await base64Of(file) });
}

function memberFor(type) {
  if (type.startsWith('image/')) return 'image_base64';
  return type.startsWith('audio/') ? 'audio_base64' : 'document_base64';
}

function base64Of(file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result.slice(reader.result.indexOf(',') + 1));
    reader.onerror = () => reject(new Error('The file cannot be read'));
    reader.readAsDataURL(file);
  });
}
