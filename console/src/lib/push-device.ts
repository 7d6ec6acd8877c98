/** The id of this browser among those that show alerts of the person. */
const deviceKey = 'console-push-device';

export const pushDevice = (): string | null => localStorage.getItem(deviceKey);

export function rememberPushDevice(id: string | null): void {
  if (id === null) localStorage.removeItem(deviceKey);
  else localStorage.setItem(deviceKey, id);
}

/** Safari has it only in an installed app. */
export const canShowAlerts = (): boolean => 'serviceWorker' in navigator && 'PushManager' in window;

/** Asks the person, and returns the subscription as the API takes it. Null if the person or the browser refuses. */
export async function subscribeBrowser(
  pushKey: string,
): Promise<{ endpoint: string; keys: { p256dh: string; auth: string } } | null> {
  if ((await Notification.requestPermission()) !== 'granted') return null;
  const registration = await navigator.serviceWorker.register('/console/sw.js', { scope: '/console/' });
  await navigator.serviceWorker.ready;
  const subscription = await registration.pushManager
    .subscribe({ userVisibleOnly: true, applicationServerKey: pushKey })
    .catch(() => null);
  const { endpoint, keys } = subscription?.toJSON() ?? {};
  const { p256dh, auth } = keys ?? {};
  if (endpoint === undefined || p256dh === undefined || auth === undefined) return null;
  return { endpoint, keys: { p256dh, auth } };
}

export async function unsubscribeBrowser(): Promise<void> {
  const registration = await navigator.serviceWorker.getRegistration('/console/');
  await (await registration?.pushManager.getSubscription())?.unsubscribe();
}
