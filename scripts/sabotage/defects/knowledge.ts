// biome-ignore-all lint/suspicious/noTemplateCurlyInString: source text that contains template literals
import type { Defect } from '../defect.ts';

const tested = (name: string) => ({ file: 'server/src/knowledge/search/embedding.test.ts', name });

const moved = (name: string) => ({
  file: 'server/src/knowledge/bots/move-knowledge.reliability.test.ts',
  name,
});

/** The search by meaning, the vectors of passages, and moving documents to and from OpenAI. */
export const knowledgeDefects: readonly Defect[] = [
  {
    name: 'compare-vectors-of-other-models',
    file: 'server/src/knowledge/search/vectors.queries.ts',
    find: ' and model = ${model} and vector is',
    replace: ' and vector is',
    test: tested('ignores vectors of another model and replaces them'),
    why: 'After a change of the model, questions would be compared with vectors that mean something else.',
  },
  {
    name: 'keep-vectors-of-other-models',
    file: 'server/src/knowledge/search/vectors.queries.ts',
    find: 'do update set model = excluded.model, signs = excluded.signs, vector = excluded.vector',
    replace: 'do nothing',
    test: tested('ignores vectors of another model and replaces them'),
    why: 'After a change of the model, the search by meaning would find nothing.',
  },
  {
    name: 'search-vectors-of-all-documents',
    file: 'server/src/knowledge/search/vectors.queries.ts',
    find: 'where document_ref = any(${documentRefs}::text[]) and model',
    replace: 'where (true or document_ref = any(${documentRefs}::text[])) and model',
    test: tested('searches only the documents of the version'),
    why: 'Bots would answer from withdrawn documents and from those of other teams.',
  },
  {
    name: 'compare-vectors-of-other-lengths',
    file: 'server/src/knowledge/search/vector-search.ts',
    find: 'decoded.length === asked.length',
    replace: 'decoded.length > 0',
    test: tested('ignores vectors of another length'),
    why: 'A model that changes its length under the same name would rank passages by parts of vectors.',
  },
  {
    name: 'hide-that-the-search-was-by-words-only',
    file: 'server/src/knowledge/search/grounding.ts',
    find: 'if (error instanceof ProviderError) return { asked: null, failure: error.kind };',
    replace: 'if (error instanceof ProviderError) return { asked: null, failure: null };',
    test: tested('searches by words and says why if the question cannot be embedded'),
    why: 'The trace would not say why an answer is worse than usual.',
  },
  {
    name: 'wait-for-an-embedding-provider-that-fails',
    file: 'server/src/ports/embedding/guarded-embedding.ts',
    find: 'if (before !== undefined && pauseOf(purpose) > 0) throw before.error;',
    replace: '',
    test: tested('searches by words and says why if the question cannot be embedded'),
    why: 'Each answer would wait two seconds for a provider that is down.',
  },
  {
    name: 'keep-a-failed-embedding-out-of-the-trace',
    file: 'server/src/chat/answering/answer.ts',
    find: 'embeddingFailure ??= step.embeddingFailure ?? null;',
    replace: '',
    test: {
      file: 'server/src/chat/answering/generated-answers.reliability.test.ts',
      name: 'embeds the question with an embedding model, and the trace says if that fails',
    },
    why: 'Operators could not tell why an answer is worse than usual.',
  },
  {
    name: 'give-up-pairs-after-a-failure',
    file: 'server/src/knowledge/search/pairs.ts',
    find: 'encoding = undefined;',
    replace: '',
    test: tested('embeds pairs after the provider recovers, and each once'),
    why: 'One failure would turn the search by meaning off for the pairs of a bot.',
  },
  {
    name: 'rank-pairs-by-words-only',
    file: 'server/src/knowledge/search/grounding.ts',
    find: 'limit: groundingItems, asked }',
    replace: 'limit: groundingItems, asked: null }',
    test: tested('finds a pair that shares no word with the question once the pairs have vectors'),
    why: 'Questions in other words would not reach the pair that answers them.',
  },
  {
    name: 'rank-english-pairs-by-words-only',
    file: 'server/src/knowledge/search/pair-ranking.ts',
    find: '(similarity + multiplyVectors(asked, vector)) / 2',
    replace: 'similarity',
    test: {
      file: 'server/src/knowledge/search/pair-meaning.test.ts',
      name: 'finds an English pair that shares no word with the question',
    },
    why: 'Without a language model, bots would answer fewer questions in other words.',
  },
  {
    name: 'embed-one-team-after-another',
    file: 'server/src/knowledge/search/vectors.queries.ts',
    find: 'select distinct on (team_id) ref',
    replace: 'select ref',
    test: tested('embeds a batch of each team in turn'),
    why: 'A team with many documents would delay the vectors of the others.',
  },
  {
    name: 'stop-at-a-refused-passage',
    file: 'server/src/ports/embedding/openai-compatible.ts',
    find: 'return refusals.includes(error.statusCode)',
    replace: 'return refusals.length === 0',
    test: tested('leaves out only the passages that the model refuses'),
    why: 'One passage that is too long for the model would keep its document without vectors.',
  },
  {
    name: 'leave-out-passages-of-a-wrong-configuration',
    file: 'server/src/knowledge/search/embedding.jobs.ts',
    find: 'await embed([probeText]);',
    replace: '',
    test: tested('leaves out no passage if the model refuses everything'),
    why: 'A wrong configuration would leave out all passages for good.',
  },
  {
    name: 'repeat-a-refused-key',
    file: 'server/src/knowledge/search/embedding.jobs.ts',
    find: ' || isLasting(error) || ',
    replace: ' || ',
    test: tested('stops at a refused key and continues with a mended one; the document is ready meanwhile'),
    why: 'The job would repeat calls that only the operator can mend.',
  },
  {
    name: 'start-the-backfill-again',
    file: 'server/src/knowledge/search/vectors.queries.ts',
    find: 'and v.ordinal is null\n    order by',
    replace: '\n    order by',
    test: {
      file: 'server/src/knowledge/search/embedding-job.reliability.test.ts',
      name: 'continues after kill -9 where the killed worker stopped',
    },
    why: 'The provider would charge for the same passages again.',
  },
  {
    name: 'quote-without-confidence',
    file: 'server/src/knowledge/assistant-provider/embedded/passage-answer.ts',
    find: 'matches.confidence < calibration.leastConfidence',
    replace: 'matches.confidence < 0',
    test: {
      file: 'server/src/knowledge/assistant-provider/embedded/first-questions.test.ts',
      name: 'does not answer a question about something else',
    },
    why: 'A bot would quote its documents for any question.',
  },
  {
    name: 'forget-the-named-section',
    file: 'server/src/knowledge/assistant-provider/embedded/passage-answer.ts',
    find: 'const section = findNamedSection(matches);',
    replace: 'const section = [findNamedSection(matches)].slice(1)[0];',
    test: {
      file: 'server/src/knowledge/assistant-provider/embedded/first-questions.test.ts',
      name: 'answers the first questions of a new user of the demo',
    },
    why: 'A bot would not tell its opening hours from a section of that name.',
  },
];

const hosted = (file: string, name: string) => ({
  file: `server/src/knowledge/assistant-provider/openai-hosted/${file}`,
  test: {
    file: 'server/src/knowledge/assistant-provider/openai-hosted/hosted-provider.test.ts',
    name,
  },
});

/** Documents and knowledge stores at OpenAI. */
export const hostedKnowledgeDefects: readonly Defect[] = [
  {
    name: 'create-again-without-looking',
    ...hosted(
      'hosted-objects.ts',
      'finds an object whose creation was not confirmed instead of creating another one',
    ),
    find: 'const found = wasTried ? await find(since) : null;',
    replace: 'const found = null;',
    why: 'A lost response would leave a copy of the document at OpenAI.',
  },
  {
    name: 'delete-files-without-detaching',
    ...hosted(
      'hosted-objects.ts',
      'detaches a file from its stores before it deletes it, and repeats until both are confirmed',
    ),
    find: 'for (const store of await findStoresOf(db, ref)) {',
    replace: 'for (const store of [] as string[]) {',
    why: 'Searches would still find a deleted document.',
  },
  {
    name: 'publish-before-files-are-indexed',
    ...hosted('hosted-objects.ts', 'creates no revision until OpenAI has indexed its documents'),
    find: "while (documentRefs.some((ref) => attached.get(ref) !== 'ready')) {",
    replace: 'while (documentRefs.length < 0) {',
    why: 'A bot would answer without its documents.',
  },
  {
    name: 'search-withdrawn-files',
    ...hosted('hosted-model.ts', 'searches no withdrawn document'),
    file: 'server/src/knowledge/assistant-provider/generating/generate.ts',
    find: 'knowledge.documentRefs.filter((ref) => !withdrawnDocumentRefs.includes(ref))',
    replace: "knowledge.documentRefs.filter((ref) => withdrawnDocumentRefs.length >= 0 && ref !== '')",
    why: 'A bot would quote a withdrawn document until its deletion at OpenAI.',
  },
  {
    name: 'start-without-the-existing-documents',
    file: 'server/src/platform/database/installation.queries.ts',
    find: 'case when ${sql.join(uses, sql` or `)} then knowledge_place',
    replace: 'case when (${sql.join(uses, sql` or `)}) and false then knowledge_place',
    test: {
      file: 'server/src/knowledge/bots/knowledge-place.test.ts',
      name: 'requires the key of OpenAI until nothing is there',
    },
    why: 'After a change of the provider, bots would silently answer without their documents.',
  },
  {
    name: 'move-documents-beside-processes-with-the-old-provider',
    file: 'server/src/knowledge/bots/knowledge-moves.queries.ts',
    find: 'if (!(await tryLockPlace(tx, otherPlace(place)))) return false;',
    replace: '',
    test: moved('moves documents to OpenAI and back, while bots answer by their old provider'),
    why: 'In a rolling restart, a process with the old provider could not answer from moved documents.',
  },
  {
    name: 'store-new-documents-apart-from-the-others',
    file: 'server/src/knowledge/bots/knowledge-moves.queries.ts',
    find: 'and moved_at is null) as "isMoving"',
    replace: 'and moved_at is not null) as "isMoving"',
    test: moved('moves documents to OpenAI and back, while bots answer by their old provider'),
    why: 'New documents would be at another place than those of the bots of their team.',
  },
  {
    name: 'publish-a-revision-of-the-old-place',
    file: 'server/src/knowledge/bots/publish.ts',
    find: "if (bot.vector_id !== draft.bot.vector_id) return 'moved';",
    replace: '',
    test: moved('publishes again if the documents of the team move meanwhile'),
    why: 'The bot would answer from documents that are deleted at the old place.',
  },
  {
    name: 'forget-the-copies-of-a-killed-move',
    file: 'server/src/knowledge/documents/copy-documents.ts',
    find: 'operation: `move ${move.id} ${id}`',
    replace: 'operation: `move ${Math.random()} ${id}`',
    test: moved('continues after kill -9, and creates nothing twice'),
    why: 'A killed move would leave a second copy of a document at OpenAI.',
  },
];
