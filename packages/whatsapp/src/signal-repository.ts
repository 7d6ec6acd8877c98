import {
  DEFAULT_CONNECTION_CONFIG,
  isHostedPnUser,
  isPnUser,
  type SignalKeyStore,
  type SignalKeyStoreWithTransaction,
  type SignalRepositoryWithLIDStore,
  type SocketConfig,
} from 'baileys';

export type Repository = SignalRepositoryWithLIDStore;
type EncryptedMessage = Parameters<Repository['decryptMessage']>[0];

/** The library's repository, without two of its faults that make messages unreadable when they cross. */
export const makeSignalRepository: SocketConfig['makeSignalRepository'] = (auth, logger, findLids) => {
  const repository = DEFAULT_CONNECTION_CONFIG.makeSignalRepository(auth, logger, findLids);
  // The library adds transactions to its keys before this call.
  const keys = auth.keys as SignalKeyStoreWithTransaction;
  // Both locks are always taken in this order.
  const run = <Result>(jid: string, task: () => Promise<Result>): Promise<Result> =>
    keys.transaction(() => runAlone(repository.jidToSignalProtocolAddress(jid), task), jid);
  return {
    ...repository,
    encryptMessage: (message) => run(message.jid, () => repository.encryptMessage(message)),
    decryptMessage: (message) =>
      run(message.jid, () =>
        message.type === 'msg'
          ? decryptWithOneSession(message, { keys, repository })
          : repository.decryptMessage(message),
      ),
    injectE2ESession: (injected) => run(injected.jid, () => repository.injectE2ESession(injected)),
    // Called for each recipient of a message. The library would parse the keys of all its sessions.
    validateSession: async (jid) => {
      const record = await readRecord(await findSessionId(jid, repository), keys);
      const sessions = Object.values(record?._sessions ?? {});
      return sessions.some(({ indexInfo }) => indexInfo.closed === stillOpen)
        ? { exists: true }
        : { exists: false, reason: 'no open session' };
    },
  };
};

/** Returns the id of the contact's `session` in the key store. */
export async function findSessionId(jid: string, repository: Repository): Promise<string> {
  const lid = isPnUser(jid) || isHostedPnUser(jid) ? await repository.lidMapping.getLIDForPN(jid) : null;
  return repository.jidToSignalProtocolAddress(lid ?? jid);
}

/** Of the whole process, like the queue of `libsignal`. */
const lastTasks = new Map<string, Promise<unknown>>();

/**
 * Runs one task of an address at a time, even if they belong to different devices. `libsignal` has one queue per address, and
 * runs a queued job in the async context of the job before it. There, the library's `AsyncLocalStorage` returns another
 * transaction. If that is already committed, the advanced session is lost.
 */
async function runAlone<Result>(address: string, task: () => Promise<Result>): Promise<Result> {
  const previous = lastTasks.get(address);
  const { promise, resolve } = Promise.withResolvers<void>();
  lastTasks.set(address, promise);
  await previous;
  try {
    return await task();
  } finally {
    if (lastTasks.get(address) === promise) lastTasks.delete(address);
    resolve();
  }
}

const stillOpen = -1;

/** The form in which the library stores the sessions of an address. */
interface SessionRecord {
  _sessions: Record<string, { indexInfo: { used: number; closed: number } }>;
}

const readRecord = async (
  id: string,
  keys: Pick<SignalKeyStore, 'get'>,
): Promise<SessionRecord | undefined> =>
  // The library's type of this value is wrong.
  (await keys.get('session', [id]))[id] as unknown as SessionRecord | undefined;

/**
 * Offers the library one session at a time, the last used one first. `libsignal` would try all of them. An attempt with the
 * wrong session advances that session's keys and stores them, and neither side can read its later messages.
 */
async function decryptWithOneSession(
  message: EncryptedMessage,
  { keys, repository }: { keys: SignalKeyStoreWithTransaction; repository: Repository },
): Promise<Uint8Array> {
  const id = await findSessionId(message.jid, repository);
  const read = () => readRecord(id, keys);
  const write = (record: SessionRecord) => keys.set({ session: { [id]: record as never } });
  const record = await read();
  const sessions = Object.entries(record?._sessions ?? {});
  if (record === undefined || sessions.length < 2) return repository.decryptMessage(message);
  let failure: unknown;
  for (const [key, session] of sessions.sort(([, a], [, b]) => b.indexInfo.used - a.indexInfo.used)) {
    await write({ ...record, _sessions: { [key]: session } });
    try {
      const plaintext = await repository.decryptMessage(message);
      await write({ ...record, _sessions: { ...record._sessions, ...(await read())?._sessions } });
      return plaintext;
    } catch (error) {
      failure ??= error;
    }
  }
  // Rolls back the transaction.
  throw failure;
}
