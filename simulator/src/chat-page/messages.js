/** Renders a message as a list item. Its text is never treated as markup. */
export function renderMessage(message, device, contact) {
  const item = document.createElement('li');
  item.className = message.direction === 'in' ? 'in' : 'out';
  if (message.kind !== 'text') item.append(renderMedia(message, device, contact));
  if (message.text) {
    const text = document.createElement('span');
    text.textContent = message.text;
    item.append(text);
  }
  const time = document.createElement('time');
  time.dateTime = message.sent_at;
  time.textContent = new Date(message.sent_at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
  item.append(time);
  return item;
}

function renderMedia({ id, direction, kind }, device, contact) {
  const address = `simulator/media?${new URLSearchParams({ device, contact, id, direction })}`;
  if (kind === 'image') {
    const image = document.createElement('img');
    image.src = address;
    image.alt = 'Image';
    return image;
  }
  if (kind === 'voice') {
    const audio = document.createElement('audio');
    audio.controls = true;
    audio.preload = 'metadata';
    audio.src = address;
    return audio;
  }
  const link = document.createElement('a');
  link.href = address;
  link.textContent = 'Document';
  return link;
}
