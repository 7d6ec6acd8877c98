// Shows alerts while the console is closed. It stores nothing and answers no request.
addEventListener('install', () => skipWaiting());
addEventListener('activate', (event) => event.waitUntil(clients.claim()));

addEventListener('push', (event) => {
  const { title, body, path } = event.data.json();
  const options = { body, tag: 'waiting', renotify: true, icon: '/console/icon.svg', data: { path } };
  event.waitUntil(registration.showNotification(title, options));
});

addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(show(`/console${event.notification.data.path}`));
});

async function show(address) {
  const [open] = await clients.matchAll({ type: 'window' });
  if (open === undefined) return clients.openWindow(address);
  await open.focus();
  return open.navigate(address);
}
