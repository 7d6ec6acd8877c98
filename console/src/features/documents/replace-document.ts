import { api } from '../../api/client.ts';

/**
 * Gives the bots of a document its newer version, publishes those that have no other unpublished changes, and deletes the old
 * document. Returns how many bots still answer from the old one, which then stays. An interrupted call can be repeated.
 */
export async function replaceDocument(oldId: string, newId: string): Promise<number> {
  let left = 0;
  const bots: string[] = [];
  for await (const { id } of api.listBots({ document_id: oldId, limit: 100 })) bots.push(id);
  for (const id of bots) {
    const { documents, published, updated_at } = await api.getBot({ id });
    const ids = documents.map(({ document_id }) => (document_id === oldId ? newId : document_id));
    await api.updateBot({ id, document_ids: [...new Set(ids)], expected_updated_at: updated_at });
    if (published) await api.publishBot({ id });
    else if (await answersFrom(id, oldId)) left += 1;
  }
  if (left === 0) await api.deleteDocument({ id: oldId });
  return left;
}

/** Whether devices answer with a version of the bot that has the document. */
async function answersFrom(botId: string, documentId: string): Promise<boolean> {
  for await (const { live, document_ids } of api.listBotVersions({ id: botId, limit: 100 }))
    if (live) return document_ids.includes(documentId);
  return false;
}
