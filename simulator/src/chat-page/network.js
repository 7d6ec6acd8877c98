/** Calls the simulated network. Each function rejects with a message for the user. */

async function call(path, options) {
  const response = await fetch(`simulator/${path}`, options);
  const body = await response.json();
  if (!body.success) throw new Error(body.error);
  return body.data;
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

/** Sends a text, or a file with the text as caption. A recording cannot have a caption, so the text is sent first. */
export async function write({ from, to, text, file }) {
  const field = file && fieldFor(file.type);
  if (text && (!file || field === 'audio_base64')) await post('messages', { from, to, text });
  if (!file) return;
  const caption = text && field !== 'audio_base64' ? { text } : {};
  const name = field === 'document_base64' ? { file_name: file.name } : {};
  await post('messages', { from, to, ...caption, ...name, [field]: await readBase64(file) });
}

function fieldFor(type) {
  if (type.startsWith('image/')) return 'image_base64';
  return type.startsWith('audio/') ? 'audio_base64' : 'document_base64';
}

function readBase64(file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result.slice(reader.result.indexOf(',') + 1));
    reader.onerror = () => reject(new Error('The file cannot be read'));
    reader.readAsDataURL(file);
  });
}
