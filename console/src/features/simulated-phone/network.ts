/** The simulated network, as its own chat page uses it. */
export interface PhoneMessage {
  id: string;
  /** `in`: from the contact to the linked phone. */
  direction: 'in' | 'out';
  kind: 'text' | 'image' | 'voice' | 'document';
  text: string | null;
  sent_at: string;
  /** Whether the linked phone confirmed a message of the contact. */
  received: boolean;
}

async function call<Data>(path: string, options: RequestInit = {}): Promise<Data> {
  const response = await fetch(`/simulator/${path}`, options);
  const body = (await response.json()) as { success: boolean; data: Data; error?: string };
  if (!body.success) throw new Error(body.error);
  return body.data;
}

const post = <Data>(path: string, body: object): Promise<Data> =>
  call(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });

export const linkedPhones = (signal: AbortSignal) => call<{ phone_number: string }[]>('phones', { signal });

export const chatMessages = (device: string, contact: string, signal: AbortSignal) =>
  call<PhoneMessage[]>(`messages?${new URLSearchParams({ device, contact })}`, { signal });

export const writeText = (from: string, to: string, text: string) => post('messages', { from, to, text });

export const writeFile = async (from: string, to: string, file: File) => {
  const kind = /^(image|audio)\//.exec(file.type)?.[1] ?? 'document';
  const name = kind === 'document' ? { file_name: file.name.slice(0, 255) } : {};
  return post('messages', { from, to, [`${kind}_base64`]: await toBase64(file), ...name });
};

function toBase64(file: File): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const reader = new FileReader();
  reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''));
  reader.onerror = () => reject(reader.error);
  reader.readAsDataURL(file);
  return promise;
}

export const scanCode = (qr: string, phoneNumber: string) => post('scan', { qr, phone_number: phoneNumber });

export const mediaAddress = (device: string, contact: string, { id, direction }: PhoneMessage): string =>
  `/simulator/media?${new URLSearchParams({ device, contact, id, direction })}`;

/** A number that no real phone has. */
export const randomPhoneNumber = (): string =>
  `+1555${String((crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) % 10_000_000).padStart(7, '0')}`;
